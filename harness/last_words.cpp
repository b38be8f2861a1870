// SPDX-License-Identifier: BSL-1.0
#include "harness/last_words.hpp"

#include <atomic>
#include <new>

#include "harness/limits.hpp"

namespace harness {

namespace {

// Handlers are plain functions: they reach nothing but what has static storage.
std::atomic<unsigned> out_of_memory{0};  // exceptions that say so, and still exist
std::atomic<Port*> listener{nullptr};
std::atomic<std::terminate_handler> usual{nullptr};

/// Lives as long as nobody has handled it.
class OutOfMemory : public std::bad_alloc {
 public:
  OutOfMemory() noexcept { ++out_of_memory; }
  OutOfMemory(const OutOfMemory& other) noexcept : std::bad_alloc{other} { ++out_of_memory; }
  OutOfMemory& operator=(const OutOfMemory&) noexcept = default;
  ~OutOfMemory() override { --out_of_memory; }
};

[[noreturn]] void throw_out_of_memory() {
  throw OutOfMemory{};
}

/// Of the exception that ends the process. One that leaves a noexcept function cannot be asked: GCC
/// 12 has not begun to catch it. Then the one that exists is taken for the one that flies.
bool is_out_of_memory() noexcept {
  if (std::uncaught_exceptions() != 0) return out_of_memory.load() != 0;
  if (std::current_exception() == nullptr) return false;
  try {
    throw;
  } catch (const OutOfMemory&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

LastWords::LastWords(Port& port) : before_{std::set_terminate(&LastWords::speak)} {
  listener.store(&port);
  usual.store(before_);
  set_memory_aside();
  std::set_new_handler(&throw_out_of_memory);
}

LastWords::~LastWords() {
  std::set_new_handler(nullptr);
  std::set_terminate(before_);
}

void LastWords::speak() {
  if (is_out_of_memory()) listener.load()->give_up(refusal(std::bad_alloc{}));
  usual.load()();
}

}  // namespace harness
