// SPDX-License-Identifier: BSL-1.0
#include "stackful/crew.hpp"

namespace stackful {

CrewMember::CrewMember(Crew* crew, bool stealing, io::Reactor& reactor)
    : stealing_{crew != nullptr && stealing},
      crew_{crew},
      index_{crew == nullptr ? 0 : crew->members.size()},
      reactor_{reactor} {
  if (crew != nullptr) crew->members.push_back(this);
}

bool CrewMember::count_ended_of_all() noexcept {
  if (crew_->alive.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
  for (CrewMember* const member : crew_->members) member->reactor_.wake();
  return true;
}

void CrewMember::offer(Fiber& fiber) noexcept {
  open_.push(fiber);
  if (wake_if_asleep()) return;
  for (std::size_t i = 1; i != crew_->members.size(); ++i) {
    if (neighbour(i).wake_if_asleep()) return;
  }
}

bool CrewMember::wake_if_asleep() noexcept {
  if (!asleep_.load(std::memory_order_seq_cst)) return false;
  if (!asleep_.exchange(false, std::memory_order_seq_cst)) return false;
  reactor_.wake();
  return true;
}

// Each begins with the one next to it, or all of them would turn to the same.
CrewMember& CrewMember::neighbour(std::size_t distance) const noexcept {
  return *crew_->members[(index_ + distance) % crew_->members.size()];
}

// Its own in any case: who has bound fibers that never wait would leave the others to starve.
Fiber* CrewMember::take(bool has_other_work) noexcept {
  Fiber* const own = open_.pop();
  if (own != nullptr || has_other_work) return own;
  for (std::size_t i = 1; i != crew_->members.size(); ++i) {
    if (Fiber* const stolen = neighbour(i).open_.pop()) return stolen;
  }
  return nullptr;
}

// First it says that it sleeps, then it looks again; who offers does it the other way round. So one
// of the two sees the other.
void CrewMember::sleep_unless_offered() {
  asleep_.store(true, std::memory_order_seq_cst);
  bool offered = false;
  for (const CrewMember* const member : crew_->members) offered = offered || !member->open_.empty();
  if (offered) {
    reactor_.look();
  } else {
    reactor_.turn(io::never);
  }
  asleep_.store(false, std::memory_order_seq_cst);
}

}  // namespace stackful
