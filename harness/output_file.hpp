// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

#include "io/socket.hpp"

namespace harness {

/// The file of --benchmark_out. Google Benchmark empties it at once and looks at none of its
/// writes; so it gets a file in memory instead, and what is whole at the end is written by
/// write_whole(). Until then, and when nothing was measured, whatever was there before stays.
class OutputFile {
 public:
  /// Changes the flag among Google Benchmark's arguments; without it, this does nothing. Throws
  /// std::system_error.
  explicit OutputFile(std::vector<std::string>& arguments);

  [[nodiscard]] bool asked_for() const noexcept { return !place_.empty(); }
  /// To be called once Google Benchmark has closed it. Empty, or the line that says why the file
  /// is not there.
  [[nodiscard]] std::string keep();

 private:
  [[nodiscard]] std::string draft_path() const;

  std::string place_;
  io::Descriptor draft_;
  bool json_ = true;
};

}  // namespace harness
