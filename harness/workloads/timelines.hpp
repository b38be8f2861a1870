// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <fmt/format.h>
#include <vector>

#include "harness/row.hpp"
#include "harness/subject.hpp"
#include "harness/workloads/team.hpp"

namespace harness {

/// When the members of a small team have begun and ended, round by round: enough for a picture of
/// who waits for whom.
class Timelines {
 public:
  void add(const Team& team) {
    const auto spans = team.timeline();
    members_.resize(spans.size());
    for (std::size_t i = 0; i != spans.size(); ++i) {
      members_[i].begins.push_back(spans[i].begin);
      members_[i].ends.push_back(spans[i].end);
    }
  }
  /// Medians alone: what has begun at once has no steady quartiles.
  void report(Port& port) const {
    for (std::size_t i = 0; i != members_.size(); ++i) {
      port.result(fmt::format("task_{}_begin_ns", i + 1), quartiles(members_[i].begins).median);
      port.result(fmt::format("task_{}_end_ns", i + 1), quartiles(members_[i].ends).median);
    }
  }

 private:
  struct Member {
    std::vector<double> begins;
    std::vector<double> ends;
  };
  std::vector<Member> members_;
};

}  // namespace harness
