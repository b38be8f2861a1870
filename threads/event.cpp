// SPDX-License-Identifier: BSL-1.0
#include "threads/event.hpp"

#include <cerrno>
#include <cstdlib>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/counters.hpp"

namespace threads {
namespace {

using Word = std::atomic<std::uint32_t>;
static_assert(sizeof(Word) == 4 && Word::is_always_lock_free, "the kernel reads the word itself");

/// Sleeps while the word holds `expected`; may return for no reason.
void futex_wait(const Word& word, std::uint32_t expected) noexcept {
  io::count(io::SystemCall::wait);
  const long result = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
  if (result != 0 && errno != EAGAIN && errno != EINTR) {
    std::abort();
  }
}

/// Wakes whoever sleeps on the word. The kernel takes the address as a key and does not read it, so
/// an event that is already gone does no harm; at worst a stranger is woken for no reason.
void futex_wake(const Word* word) noexcept {
  io::count(io::SystemCall::wake);
  if (syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0) < 0) {
    std::abort();
  }
}

}  // namespace

void Event::set() noexcept {
  const Word* const word = &state_;
  if (state_.exchange(is_set, std::memory_order_acq_rel) == awaited) {
    futex_wake(word);  // `this` may be gone
  }
}

void Event::wait() noexcept {
  std::uint32_t found = empty;
  if (state_.compare_exchange_strong(found, awaited, std::memory_order_acquire)) {
    do {
      futex_wait(state_, awaited);
    } while (state_.load(std::memory_order_relaxed) == awaited);
  }
  state_.exchange(empty, std::memory_order_acquire);
}

}  // namespace threads
