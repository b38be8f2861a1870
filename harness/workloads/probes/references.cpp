// SPDX-License-Identifier: BSL-1.0
// Built with -finstrument-functions, which has every function announce itself: counts how often a
// reference is added or given back while tasks are suspended. Tells the descriptor it is given a
// line a contender: name, changes of a reference count a suspension.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>

#include "harness/workloads/walk.hpp"

// clang, told to inline nothing, calls what the library took for always inlined.
template class std::allocator<char>;

namespace {

using stackless::TaskWaker;
using stackless::push::Counted;

constexpr std::uint64_t suspensions = 10'000;

// Not std::array: its begin() would announce itself, too.
std::uintptr_t counted[5] = {};
std::uint64_t changes = 0;

/// The address of the function that a pointer to a member, not virtual, stands for.
std::uintptr_t address(void (Counted::*member)() noexcept) {
  return std::bit_cast<std::array<std::uintptr_t, 2>>(member).front();
}
std::uintptr_t address(void (*function)(stackless::Wakeable&) noexcept) {
  return reinterpret_cast<std::uintptr_t>(function);
}

template <class B, class Spawn>
bool tell(int to, const char* name, Spawn spawn) {
  typename B::Runtime runtime{typename B::Options{}};
  harness::Walkers<B> walkers{runtime};
  changes = 0;
  const bool right = walkers.walk(runtime, suspensions,
                                  [&](harness::Side<B>& side) { return spawn(runtime, side); });
  if (changes == 0) return false;  // even pull keeps a waker, once: the wrong functions are watched
  const double each = static_cast<double>(changes) / (2 * suspensions);
  return right && dprintf(to, "%s %.3f\n", name, each) > 0;
}

}  // namespace

// What GCC and clang have every instrumented function call, by the names that they chose.
[[gnu::no_instrument_function]] void entered(void* function,
                                             void* caller) asm("__cyg_profile_func_enter");
[[gnu::no_instrument_function]] void left(void* function,
                                          void* caller) asm("__cyg_profile_func_exit");

void entered(void* function, void* /*caller*/) {
  const auto address_of_it = reinterpret_cast<std::uintptr_t>(function);
  for (const std::uintptr_t each : counted) changes += each == address_of_it;
}
void left(void* /*function*/, void* /*caller*/) {}

int main(int argc, char** argv) {
  using Pull = stackless::Backend;
  using Push = stackless::push::Backend;
  if (argc != 2) return 2;
  const int to = std::atoi(argv[1]);
  const std::uintptr_t watched[] = {address(&Counted::add_reference), address(&Counted::release),
                                    address(&TaskWaker::clone), address(&TaskWaker::drop),
                                    address(&TaskWaker::wake)};
  std::copy(std::begin(watched), std::end(watched), counted);
  const bool told =
      tell<Pull>(to, "futures",
                 [](auto& runtime, auto& side) {
                   return runtime.spawn([&] { return harness::Walk<Pull>::Future{side}; });
                 }) &&
      tell<Pull>(to, "coroutines",
                 [](auto& runtime, auto& side) {
                   return runtime.spawn([&] { return harness::Walk<Pull>::coroutine(side); });
                 }) &&
      tell<Push>(to, "callbacks", [](auto& runtime, auto& side) {
        return runtime.spawn([&] { harness::Walk<Push>::callback(side); });
      });
  return told ? 0 : 1;
}
