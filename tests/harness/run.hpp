// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/types.h>
#include <vector>

namespace harness {

/// A program started for a test, its two streams going to files of their own.
class Running {
 public:
  /// `name` is a program of the build folder. Throws std::system_error.
  Running(const std::string& name, std::vector<std::string> arguments);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// The processes it has started and not yet buried.
  [[nodiscard]] std::vector<pid_t> children() const;
  void signal(int number) const;
  /// Its exit status, 128 + the signal that ended it.
  int wait();
  [[nodiscard]] std::string out() const;
  [[nodiscard]] std::string err() const;

 private:
  std::string folder_;
  pid_t pid_ = -1;
  bool ended_ = false;
};

/// The rows of a run by the part of their names that is ours.
std::map<std::string, nlohmann::json> rows_of(const std::string& text);

}  // namespace harness
