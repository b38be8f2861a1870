// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>

#include "stackless/waker.hpp"

namespace stackless {

struct Posted;

/// A waker's operations, and what the owner does when it finds the post in its inbox.
struct PostedOperations : WakerOperations {
  void (*deliver)(Posted&) noexcept;
};

/// What one thread can hand to the owner of an inbox. Intrusive; in one inbox at most, at most
/// once: whoever posts sees to that.
struct Posted : Wakeable {
  explicit constexpr Posted(const PostedOperations& posted_operations) noexcept
      : Wakeable{&posted_operations} {}
  void deliver() noexcept { static_cast<const PostedOperations*>(operations)->deliver(*this); }

  Posted* next_posted = nullptr;
};

/// Where other threads leave word for the owner of an executor: a stack that is pushed onto by any
/// thread and taken whole by the owner, who turns it over (Treiber, "Coping with parallelism",
/// 1986; taking all at once leaves no ABA).
class Inbox {
 public:
  /// Any thread. True: the owner has parked, and the caller has to wake it.
  [[nodiscard]] bool post(Posted& posted) noexcept;
  /// Owner only: delivers everything, oldest first. Costs one plain load when there is nothing.
  void deliver() noexcept {
    if (head_.load(std::memory_order_relaxed) != nullptr) deliver_all();
  }
  /// Owner only, before it waits: from now on a post says that the owner is parked. False: there is
  /// a post already, do not wait. `deliver` ends it.
  [[nodiscard]] bool park() noexcept;

 private:
  void deliver_all() noexcept;

  std::atomic<Posted*> head_{nullptr};
};

}  // namespace stackless
