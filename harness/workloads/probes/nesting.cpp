// SPDX-License-Identifier: BSL-1.0
// Compiled by bench-frames at run time, with NESTING and one of FUTURES, COROUTINES, CALLS: what a
// compiler makes of so many levels. As a program it tells the descriptor it is given how many bytes
// the levels take until the innermost is there.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "harness/workloads/probes/compiler.hpp"
#include "harness/workloads/probes/nest.hpp"

namespace {

std::size_t allocated = 0;

}  // namespace

void* operator new(std::size_t bytes) {
  allocated += bytes;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc{};
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace {

using harness::mix;
using harness::Source;

struct Nested {
  std::uint64_t value;
  std::size_t state_bytes;
};

template <class F>
std::uint64_t value_of_future(F& future) {
  const stackless::Waker nobody;
  stackless::Context context{nobody};
  return future.poll(context).take();
}

#if defined(FUTURES)
Nested run(const Source& source) {
  auto future = harness::nest<NESTING>(source);
  return {value_of_future(future), sizeof future};
}
#elif defined(COROUTINES)
Nested run(const Source& source) {
  const std::size_t before = allocated;
  auto coroutine = harness::nest_coroutine<NESTING>(source);
  return {value_of_future(coroutine), allocated - before};
}
#elif defined(CALLS)
std::uintptr_t deepest = 0;

std::uintptr_t stack_pointer() {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}

/// Plain calls, each a function of its own.
template <unsigned depth>
[[gnu::noinline]] std::uint64_t nest_call(const Source& source) {
  if constexpr (depth == 0) {
    deepest = stack_pointer();
    return source.value;
  } else {
    return mix(nest_call<depth - 1>(source));
  }
}

Nested run(const Source& source) {
  const std::uintptr_t here = stack_pointer();
  const std::uint64_t value = nest_call<NESTING>(source);
  return {value, here - deepest};
}
#endif

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  Source source;
  harness::touch(source);
  const Nested nested = run(source);
  if (nested.value != harness::mixed(source.value, NESTING)) return 1;
  const int to = std::atoi(argv[1]);
  const bool told = dprintf(to, "state_bytes %zu\n", nested.state_bytes) > 0;
  return told && harness::tell_compiler(to) ? 0 : 1;
}
