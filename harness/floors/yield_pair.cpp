// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/yield_pair.hpp"

#include <sched.h>

#include "harness/pin.hpp"

namespace harness::floors {

namespace {

/// Each number has one writer.
void add_one(std::atomic<std::uint64_t>& number) noexcept {
  number.store(number.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace

YieldPair::YieldPair() {
  pin_this_thread(0);
  partner_ = std::thread{[this] {
    accompany();
  }};  // inherits the CPU
}

YieldPair::~YieldPair() {
  phase_.store(over);
  phase_.notify_one();
  partner_.join();
}

std::uint64_t YieldPair::pass(std::uint64_t hops) noexcept {
  const std::uint64_t before = visits(0) + visits(1);
  phase_.store(yielding);
  phase_.notify_one();
  std::uint64_t made = 0;
  while ((made = visits(0) + visits(1) - before) < hops) arrive(0);
  phase_.store(resting);
  return made;
}

void YieldPair::accompany() noexcept {
  while (true) {
    const std::uint32_t phase = phase_.load(std::memory_order_relaxed);
    if (phase == over) return;
    if (phase == yielding) {
      arrive(1);
    } else {
      phase_.wait(resting);
    }
  }
}

void YieldPair::arrive(std::size_t self) noexcept {
  if (last_seen_.load(std::memory_order_relaxed) != self) {
    last_seen_.store(self, std::memory_order_relaxed);
    add_one(visits_[self]);
  }
  add_one(calls_[self]);
  sched_yield();
}

}  // namespace harness::floors
