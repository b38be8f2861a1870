// SPDX-License-Identifier: BSL-1.0
#include <cerrno>
#include <chrono>
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
      if (heap_.top().deadline > now) {
        wait(heap_.top().deadline - now);
        continue;
      }
      Seat& due = *heap_.top().seat;
      heap_.pop();
      add(due);
    }
  }

 private:
  /// The kernel lets this end late by a thousandth: what would be felt of it is waited for again.
  void wait(std::chrono::nanoseconds span) {
    using namespace std::chrono_literals;
    if (span > 8ms) span -= span / 1000;
    const auto whole = std::chrono::floor<std::chrono::seconds>(span);
    const timespec timeout{.tv_sec = static_cast<time_t>(whole.count()),
                           .tv_nsec = static_cast<long>((span - whole).count())};
    epoll_event event{};
    if (::epoll_pwait2(epoll_.get(), &event, 1, &timeout, nullptr) < 0 && errno != EINTR) {
      throw std::system_error{errno, std::system_category(), "epoll_pwait2"};
    }
  }

  io::Descriptor epoll_;
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
