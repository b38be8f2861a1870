// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "io/reactor.hpp"
#include "stackful/fiber.hpp"
#include "stackful/open_queue.hpp"

namespace stackful {

class CrewMember;

/// What the schedulers of one runtime share.
struct Crew {
  std::atomic<std::size_t> alive{0};  ///< fibers of all that have not ended
  std::vector<CrewMember*> members;   ///< complete before the first of them runs
};

/// A scheduler's place among the workers of its runtime, if there are others: knows how many fibers
/// are alive, and with Options::stealing hands on those that may change their worker. Belongs to
/// the scheduler's thread; what any may call says so.
class CrewMember {
 public:
  /// Joins as the last; `crew` is nullptr for a scheduler of its own. `reactor` is the scheduler's.
  CrewMember(Crew* crew, bool stealing, io::Reactor& reactor);
  CrewMember(const CrewMember&) = delete;
  CrewMember& operator=(const CrewMember&) = delete;

  /// Whether fibers of this crew are stolen.
  [[nodiscard]] bool stealing() const noexcept { return stealing_; }
  [[nodiscard]] bool works_with(const CrewMember& other) const noexcept {
    return crew_ != nullptr && crew_ == other.crew_;
  }

  /// Fibers that have not ended; of all the crew.
  [[nodiscard]] std::size_t alive() const noexcept {
    return crew_ == nullptr ? alive_ : crew_->alive.load(std::memory_order_acquire);
  }
  void count_spawned() noexcept {
    if (crew_ == nullptr) {
      ++alive_;
    } else {
      crew_->alive.fetch_add(1, std::memory_order_relaxed);
    }
  }
  /// Whether that was the last; if so, all others are woken to see it.
  bool count_ended() noexcept { return crew_ == nullptr ? --alive_ == 0 : count_ended_of_all(); }

  /// Whoever is idle first may run it, this one or another. Any thread.
  void offer(Fiber& fiber) noexcept;
  /// One that has been offered here; or, for want of other work, elsewhere. nullptr: none.
  Fiber* take(bool has_other_work) noexcept;
  /// Waits in the reactor, unless somebody has offered a fiber, or does meanwhile.
  void sleep_unless_offered();

 private:
  bool count_ended_of_all() noexcept;
  bool wake_if_asleep() noexcept;  // any thread
  [[nodiscard]] CrewMember& neighbour(std::size_t distance) const noexcept;

  const bool stealing_;
  Crew* const crew_;
  const std::size_t index_;  // in the crew
  std::size_t alive_ = 0;    // of one without a crew
  io::Reactor& reactor_;
  OpenQueue open_;                   // used when stealing
  std::atomic<bool> asleep_{false};  // the same: in the reactor, with nothing to do
};

}  // namespace stackful
