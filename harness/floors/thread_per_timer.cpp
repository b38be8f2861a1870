// SPDX-License-Identifier: BSL-1.0
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <pthread.h>
#include <system_error>
#include <vector>

#include "harness/floors/timer_peers.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/timetable.hpp"

namespace harness::floors {

namespace {

using Seat = Timetable::Seat;

constexpr std::size_t stack_bytes = std::size_t{64} * 1024;

void sleep_until(io::TimePoint deadline) {
  const auto since_boot = deadline.time_since_epoch();
  const auto whole = std::chrono::floor<std::chrono::seconds>(since_boot);
  const timespec until{.tv_sec = static_cast<time_t>(whole.count()),
                       .tv_nsec = static_cast<long>((since_boot - whole).count())};
  int error = EINTR;
  while (error == EINTR) error = ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  if (error != 0) std::abort();
}

void* keep_time(void* argument) {
  auto& seat = *static_cast<Seat*>(argument);
  while (const auto deadline = seat.next()) sleep_until(*deadline);
  return nullptr;
}

/// pthread_attr_t with an owner.
class SmallStack {
 public:
  SmallStack() {
    require(::pthread_attr_init(&attributes_));
    require(::pthread_attr_setstacksize(&attributes_, stack_bytes));
  }
  ~SmallStack() { ::pthread_attr_destroy(&attributes_); }
  SmallStack(const SmallStack&) = delete;
  SmallStack& operator=(const SmallStack&) = delete;
  [[nodiscard]] const pthread_attr_t* get() const noexcept { return &attributes_; }

 private:
  static void require(int error) {
    if (error != 0) throw std::system_error{error, std::system_category(), "pthread_attr"};
  }
  pthread_attr_t attributes_{};
};

void run(Port& port, const Cell& cell) {
  Timetable table{Timetable::Plan::of(cell, port.measure_for())};
  const SmallStack small_stack;
  std::vector<pthread_t> threads(table.seats().size());
  for (std::size_t i = 0; i != threads.size(); ++i) {
    const int error =
        ::pthread_create(&threads[i], small_stack.get(), &keep_time, &table.seats()[i]);
    if (error != 0) port.give_up(refusal({error, std::system_category()}, i));
  }
  for (const pthread_t thread : threads) {
    if (::pthread_join(thread, nullptr) != 0) std::abort();
  }
  table.report(port, SystemCallCount::absent);
}

}  // namespace

Subject thread_per_timer() {
  return {"timers", "peer-thread-per-timer", &run};
}

}  // namespace harness::floors
