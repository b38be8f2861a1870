// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/row.hpp"

namespace harness {

/// How a program ended: its exit status, and where that is not 0, why, in one line.
struct Outcome {
  int status = 0;
  std::string why;
};

/// What became of a program's rows. One thread.
class Tally {
 public:
  void add(const Row& row);
  void add(std::string_view row, const Failure& failure);

  /// `strict`: rows in doubt count as failed.
  [[nodiscard]] Outcome outcome(bool interrupted, bool strict) const;

 private:
  std::size_t rows_ = 0;
  std::size_t measured_ = 0;
  std::size_t doubted_ = 0;
  std::size_t defects_ = 0;
  std::string first_defect_;
};

}  // namespace harness
