// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/eventfd_wake.hpp"

#include <cerrno>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

#include "harness/doorbell.hpp"

namespace harness::floors {

namespace {

void check(int result, const char* what) {
  if (result < 0) throw std::system_error{errno, std::system_category(), what};
}

/// An eventfd, and an epoll that it is registered with.
class Bedroom {
 public:
  Bedroom()
      : epoll_{::epoll_create1(EPOLL_CLOEXEC)}, event_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    check(epoll_, "epoll_create1");
    check(event_, "eventfd");
    epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.fd = event_}};
    check(::epoll_ctl(epoll_, EPOLL_CTL_ADD, event_, &event), "epoll_ctl");
  }
  ~Bedroom() {
    ::close(event_);
    ::close(epoll_);
  }
  Bedroom(const Bedroom&) = delete;
  Bedroom& operator=(const Bedroom&) = delete;

  void wake() const {
    const std::uint64_t one = 1;
    check(static_cast<int>(::write(event_, &one, sizeof one)), "write to an eventfd");
  }
  void sleep() {
    epoll_event event;
    int events = 0;
    while (events == 0) {
      ++waits_;
      events = ::epoll_wait(epoll_, &event, 1, -1);
      if (events < 0 && errno == EINTR) events = 0;
    }
    check(events, "epoll_wait");
  }
  /// System calls that it was slept in.
  [[nodiscard]] std::uint64_t waits() const noexcept { return waits_; }

 private:
  int epoll_;
  int event_;
  std::uint64_t waits_ = 0;
};

void run(Port& port, const Cell&) {
  Bedroom bedroom;
  std::uint64_t wakes = 0;  // a write each
  Doorbell bell{port.measure_for()};
  const auto outside = bell.ring_from_the_other_cpu([&bedroom] { bedroom.wake(); });
  do {
    bedroom.sleep();
    ++wakes;
  } while (bell.answer());
  bell.report(port);
  port.result("syscalls_per_wake",
              static_cast<double>(wakes + bedroom.waits()) / static_cast<double>(wakes));
}

}  // namespace

Subject eventfd_wake() {
  return {"wake", "floor-eventfd", &run};
}

}  // namespace harness::floors
