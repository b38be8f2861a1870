// SPDX-License-Identifier: BSL-1.0
#include "harness/last_words.hpp"

#include <atomic>
#include <new>

#include "harness/limits.hpp"

namespace harness {

namespace {

// Handlers are plain functions: they reach nothing but what has static storage.
std::atomic<bool> ran_out{false};
std::atomic<Port*> listener{nullptr};
std::atomic<std::terminate_handler> usual{nullptr};

[[noreturn]] void remember() {
  ran_out.store(true);
  throw std::bad_alloc{};
}

}  // namespace

LastWords::LastWords(Port& port) : before_{std::set_terminate(&LastWords::speak)} {
  listener.store(&port);
  usual.store(before_);
  set_memory_aside();
  std::set_new_handler(&remember);
}

LastWords::~LastWords() {
  std::set_new_handler(nullptr);
  std::set_terminate(before_);
}

// Which exception has ended the process is not to be asked here: GCC 12 has not begun to catch one
// that leaves a noexcept function.
void LastWords::speak() {
  if (ran_out.load()) listener.load()->give_up(refusal(std::bad_alloc{}));
  usual.load()();
}

}  // namespace harness
