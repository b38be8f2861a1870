// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace harness::load::test {

/// A program of the build folder, started as anybody would. Killed with its owner.
class RunningProgram {
 public:
  explicit RunningProgram(std::vector<std::string> arguments);
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  /// Its exit status, or 128 + the signal it died of; -1 (and it is killed) if it has not ended
  /// after a minute.
  int wait();
  void signal(int number) const;
  /// Waits until it has used so much CPU time; false if it does not come to that.
  [[nodiscard]] bool works_for(std::chrono::nanoseconds cpu_time) const;
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// What it has written so far.
  [[nodiscard]] std::string out() const;
  [[nodiscard]] std::string err() const;
  /// Its first line, waited for.
  [[nodiscard]] std::string first_line() const;

 private:
  int out_;
  int err_;
  pid_t pid_ = -1;
  bool ended_ = false;
};

/// Whether a process is gone, or a corpse, within a few seconds.
bool vanishes(pid_t pid);

}  // namespace harness::load::test
