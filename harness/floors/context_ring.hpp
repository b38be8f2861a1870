// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/floors/stacks.hpp"

namespace harness::floors {

/// `floor-context`: raw jumps of Boost.Context round a ring, without scheduler or event.
class ContextRing {
 public:
  explicit ContextRing(std::size_t tasks);  ///< throws std::system_error when there are no stacks

  void pass(std::uint64_t hops) noexcept;
  [[nodiscard]] std::size_t tasks() const noexcept { return tasks_.size(); }
  [[nodiscard]] std::uint64_t visits(std::size_t task) const noexcept {
    return tasks_[task]->visits;
  }

 private:
  struct Task {
    boost::context::detail::fcontext_t context = nullptr;
    Task* next = nullptr;
    ContextRing* ring = nullptr;
    std::uint64_t visits = 0;
  };

  static void enter(boost::context::detail::transfer_t arrival) noexcept;

  Stacks stacks_;
  std::vector<Task*> tasks_;
  Task home_;
  Task* holder_ = nullptr;  // of the baton
  std::uint64_t left_ = 0;
};

}  // namespace harness::floors
