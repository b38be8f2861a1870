// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

namespace harness {

/// The file of --benchmark_out. Google Benchmark empties it at once and looks at none of its
/// writes; so it gets another name to write to, beside it, and what is whole at the end is moved
/// into place. Until then, and when nothing was measured, whatever was there before stays.
class OutputFile {
 public:
  /// Changes the flag among Google Benchmark's arguments. Without it, or where it names no regular
  /// file (a terminal, a pipe), this does nothing.
  explicit OutputFile(std::vector<std::string>& arguments);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  [[nodiscard]] bool asked_for() const noexcept { return !place_.empty(); }
  /// To be called once Google Benchmark has closed it. Empty, or the line that says why the file
  /// is not there.
  [[nodiscard]] std::string keep();

 private:
  std::string place_;
  std::string beside_;
  bool json_ = true;
};

}  // namespace harness
