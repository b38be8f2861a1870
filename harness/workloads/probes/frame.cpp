// SPDX-License-Identifier: BSL-1.0
// Compiled by bench-frames at run time, by each compiler that is there: how large a frame each
// shape of coroutine gets. Tells the descriptor it is given a line a shape: name, bytes.
#include <coroutine>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "harness/workloads/probes/compiler.hpp"

namespace {

std::size_t last_frame = 0;

/// As little around a frame as there can be: resumed by hand, destroyed at the end.
struct Bare {
  struct promise_type {
    static void* operator new(std::size_t bytes) {
      last_frame = bytes;
      if (void* memory = std::malloc(bytes)) return memory;
      std::abort();
    }
    static void operator delete(void* memory) noexcept { std::free(memory); }
    Bare get_return_object() noexcept {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
  std::coroutine_handle<promise_type> frame;
};

/// Somebody outside reads and writes these bytes.
void use(char* bytes) {
  asm volatile("" : : "r"(bytes) : "memory");
}

Bare empty() {
  co_await std::suspend_always{};
}

/// Over before the suspension: nothing of it has to be kept.
Bare dead() {
  {
    char local[1024];
    use(local);
  }
  co_await std::suspend_always{};
}

/// Needed on both sides of the suspension.
Bare live() {
  char local[1024];
  use(local);
  co_await std::suspend_always{};
  use(local);
}

/// Two of them, never at the same time.
Bare disjoint() {
  {
    char local[1024];
    use(local);
    co_await std::suspend_always{};
    use(local);
  }
  {
    char local[1024];
    use(local);
    co_await std::suspend_always{};
    use(local);
  }
}

/// Runs it to its end; false when it could not say how large it was.
bool tell(int to, const char* name, Bare (*make)()) {
  // A compiler that knew which coroutine is called could do without a frame of its own.
  Bare (*volatile unknown)() = make;
  last_frame = 0;
  const Bare bare = unknown();
  const std::size_t bytes = last_frame;
  while (!bare.frame.done()) bare.frame.resume();
  bare.frame.destroy();
  return bytes != 0 && dprintf(to, "%s %zu\n", name, bytes) > 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const int to = std::atoi(argv[1]);
  const bool told = tell(to, "empty", &empty) && tell(to, "dead", &dead) &&
                    tell(to, "live", &live) && tell(to, "disjoint", &disjoint) &&
                    harness::tell_compiler(to);
  return told ? 0 : 1;
}
