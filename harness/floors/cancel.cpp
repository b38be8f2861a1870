// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/cancel.hpp"

#include <cerrno>
#include <deque>
#include <fmt/format.h>
#include <memory>
#include <sys/epoll.h>
#include <vector>

#include "harness/floors/indexed_heap.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/lounge.hpp"
#include "harness/workloads/timer_turnover.hpp"

namespace harness {

namespace {

void run_heap(Port& port, const Cell& cell) {
  const auto timers = static_cast<std::size_t>(cell.number("tasks"));
  TimerTurnover turnover{port, timers};
  floors::IndexedHeap heap;
  std::deque<floors::IndexedHeap::Entry> all(timers);
  turnover.run([&](std::size_t timer, io::TimePoint at) { heap.insert(all[timer], at); },
               [&](std::size_t timer) { heap.remove(all[timer]); });
  if (heap.size() != 0) return port.failure(fmt::format("wrong: {} are left", heap.size()));
  turnover.report();
}

/// What the kernel wants to be told, and a buffer: no task.
struct Registered {
  Registered(Lounge& lounge, int epoll_fd, int end)
      : guest{lounge}, buffer{new Lounge::Buffer}, epoll{epoll_fd}, socket{end} {
    epoll_event interest{.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data = {}};
    if (::epoll_ctl(epoll, EPOLL_CTL_ADD, socket.get(), &interest) != 0) {
      lounge.port().give_up("failed: registering a socket");
    }
  }
  ~Registered() { (void)::epoll_ctl(epoll, EPOLL_CTL_DEL, socket.get(), nullptr); }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;

  Lounge::Guest guest;
  std::unique_ptr<Lounge::Buffer> buffer;
  int epoll;
  io::Descriptor socket;
};

void run_epoll(Port& port, const Cell& cell) {
  raise_descriptor_limit();
  Lounge lounge{port, static_cast<std::size_t>(cell.number("tasks")), true};
  const io::Descriptor epoll{::epoll_create1(EPOLL_CLOEXEC)};
  if (!epoll) port.give_up(refusal({errno, std::system_category()}, 0));
  std::deque<Registered> all;
  while (lounge.open(io::Mode::nonblocking)) {
    for (std::size_t made = 0; made != lounge.tasks(); ++made) {
      all.emplace_back(lounge, epoll.get(), lounge.take_end(made));
    }
    lounge.time([&all] { all.clear(); });
    lounge.audit({});
  }
  lounge.report();
}

}  // namespace

std::vector<Subject> cancel_floor_subjects() {
  return {{"cancel", "peer-heap", &run_heap}, {"cancel", "floor-epoll", &run_epoll}};
}

}  // namespace harness
