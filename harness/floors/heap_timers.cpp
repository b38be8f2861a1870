// SPDX-License-Identifier: BSL-1.0
#include <cerrno>
#include <chrono>
#include <poll.h>
#include <queue>
#include <sys/epoll.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "harness/floors/timer_peers.hpp"
#include "harness/workloads/timetable.hpp"

namespace harness::floors {

namespace {

using Seat = Timetable::Seat;
using io::TimePoint;

struct Entry {
  TimePoint deadline;
  Seat* seat;

  friend bool operator<(const Entry& one, const Entry& other) {
    return one.deadline >
           other.deadline;  // the earliest on top of a heap that favours the greatest
  }
};

class HeapLoop {
 public:
  HeapLoop() : epoll_{::epoll_create1(EPOLL_CLOEXEC)} {
    if (!epoll_) throw std::system_error{errno, std::system_category(), "epoll_create1"};
  }

  void add(Seat& seat) {
    if (const auto deadline = seat.next()) heap_.push({*deadline, &seat});
  }

  void run() {
    while (!heap_.empty()) {
      const TimePoint now = io::Clock::now();
      fire_all_due(now);
      if (!heap_.empty() && heap_.top().deadline > now) wait(heap_.top().deadline - now);
    }
  }

 private:
  /// By one reading of the clock, like a turn of the wheel.
  void fire_all_due(TimePoint now) {
    while (!heap_.empty() && heap_.top().deadline <= now) {
      Seat& due = *heap_.top().seat;
      heap_.pop();
      add(due);
    }
  }

  /// The kernel lets this end late by a thousandth: what would be felt of it is waited for again.
  void wait(std::chrono::nanoseconds span) {
    using namespace std::chrono_literals;
    if (span > 8ms) span -= span / 1000;
    const auto whole = std::chrono::floor<std::chrono::seconds>(span);
    const timespec timeout{.tv_sec = static_cast<time_t>(whole.count()),
                           .tv_nsec = static_cast<long>((span - whole).count())};
    if (wait_for(timeout) < 0 && errno != EINTR) {
      throw std::system_error{errno, std::system_category(), "waiting for events"};
    }
  }

  /// epoll_pwait2 came with Linux 5.11; before it, epoll is itself polled for that long.
  int wait_for(const timespec& timeout) {
    if (precise_epoll_) {
      epoll_event event{};
      const int ready = ::epoll_pwait2(epoll_.get(), &event, 1, &timeout, nullptr);
      if (ready >= 0 || errno != ENOSYS) return ready;
      precise_epoll_ = false;
    }
    pollfd epoll{.fd = epoll_.get(), .events = POLLIN, .revents = 0};
    return ::ppoll(&epoll, 1, &timeout, nullptr);
  }

  io::Descriptor epoll_;
  bool precise_epoll_ = true;
  std::priority_queue<Entry> heap_;
};

void run(Port& port, const Cell& cell) {
  Timetable table{Timetable::Plan::of(cell, port.measure_for())};
  HeapLoop loop;
  for (Seat& seat : table.seats()) loop.add(seat);
  loop.run();
  table.report(port, SystemCallCount::absent);
}

}  // namespace

Subject heap_timers() {
  return {"timers", "peer-heap", &run};
}

}  // namespace harness::floors
