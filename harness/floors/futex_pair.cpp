// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/futex_pair.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/pin.hpp"

namespace harness::floors {

namespace {

/// A wait that returns early, and a wake that finds nobody, are both in order: the word decides.
void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           std::atomic<std::uint64_t>& calls) noexcept {
  calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0);
}

}  // namespace

FutexPair::FutexPair(bool apart) {
  const auto cpus = allowed_cpus();
  partner_ = std::thread{[this, cpu = apart ? 1U : 0U] {
    pin_this_thread(cpu);
    accompany();
  }};
  pin_this_thread(0);
}

FutexPair::~FutexPair() {
  over_ = true;
  give(caller, partner);
  partner_.join();
}

void FutexPair::pass(std::uint64_t hops) noexcept {
  for (std::uint64_t round = 0; round < (hops + 1) / 2; ++round) {
    ++seats_[caller].visits;
    give(caller, partner);
    take(caller);
  }
}

void FutexPair::accompany() noexcept {
  for (take(partner); !over_; take(partner)) {
    ++seats_[partner].visits;
    give(partner, caller);
  }
}

void FutexPair::give(Place from, Place to) noexcept {
  if (seats_[to].word.exchange(set, std::memory_order_acq_rel) == awaited) {
    futex(seats_[to].word, FUTEX_WAKE, 1, seats_[from].calls);
  }
}

void FutexPair::take(Place self) noexcept {
  auto& [word, visits, calls] = seats_[self];
  std::uint32_t found = empty;
  if (word.compare_exchange_strong(found, awaited, std::memory_order_acquire)) {
    do {
      futex(word, FUTEX_WAIT, awaited, calls);
    } while (word.load(std::memory_order_relaxed) == awaited);
  }
  word.exchange(empty, std::memory_order_acquire);
}

}  // namespace harness::floors
