// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/futex_pair.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/pin.hpp"

namespace harness::floors {

namespace {

/// A wait that returns early, and a wake that finds nobody, are both in order: the word decides.
void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) noexcept {
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
  give(nobody);
  partner_.join();
}

void FutexPair::pass(std::uint64_t hops) noexcept {
  for (std::uint64_t round = 0; round < (hops + 1) / 2; ++round) {
    ++visits_[caller];
    give(partner);
    await_other_than(partner);
  }
}

void FutexPair::accompany() noexcept {
  while (await_other_than(caller) == partner) {
    ++visits_[partner];
    give(caller);
  }
}

void FutexPair::give(Holder next) noexcept {
  holder_.store(next, std::memory_order_release);
  futex(holder_, FUTEX_WAKE, 1);
}

FutexPair::Holder FutexPair::await_other_than(Holder other) noexcept {
  std::uint32_t holder;
  while ((holder = holder_.load(std::memory_order_acquire)) == other) {
    futex(holder_, FUTEX_WAIT, holder);
  }
  return static_cast<Holder>(holder);
}

}  // namespace harness::floors
