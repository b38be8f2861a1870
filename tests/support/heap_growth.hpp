// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <barrier>
#include <cstddef>
#include <malloc.h>
#include <thread>
#include <vector>

namespace test {

/// What malloc's heap grows by when each of some threads calls `what` for the first time; says
/// nothing where a sanitizer's allocator is in malloc's place.
template <class What>
std::size_t heap_growth(What what) {
  constexpr int threads = 8;
  std::barrier step{threads + 1};
  std::vector<std::jthread> crowd;
  for (int i = 0; i != threads; ++i) {
    crowd.emplace_back([&step, &what] {
      step.arrive_and_wait();  // all are there
      step.arrive_and_wait();
      what();
      step.arrive_and_wait();  // all have done it
      step.arrive_and_wait();
    });
  }
  step.arrive_and_wait();
  const std::size_t before = mallinfo2().uordblks;
  step.arrive_and_wait();
  step.arrive_and_wait();
  const std::size_t after = mallinfo2().uordblks;
  step.arrive_and_wait();
  return after - before;
}

}  // namespace test
