// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/eventfd_wake.hpp"

#include <atomic>
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

  void wake() {
    const std::uint64_t one = 1;
    writes_.store(writes_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
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
    // What was written before the wake is seen after it: the kernel sees to that, but the language
    // knows nothing of it.
    seen_writes_ = writes_.load(std::memory_order_acquire);
  }
  /// System calls so far, of both sides. The sleeper only.
  [[nodiscard]] std::uint64_t calls() const noexcept { return seen_writes_ + waits_; }

 private:
  int epoll_;
  int event_;
  std::uint64_t waits_ = 0;
  std::uint64_t seen_writes_ = 0;
  std::atomic<std::uint64_t> writes_{0};
};

void run(Port& port, const Cell&) {
  Bedroom bedroom;
  std::uint64_t wakes = 0;
  Doorbell bell{port.measure_for()};
  const auto outside = bell.ring_from_the_other_cpu([&bedroom] { bedroom.wake(); });
  do {
    bedroom.sleep();
    ++wakes;
  } while (bell.answer());
  bell.report(port);
  port.result("syscalls_per_wake",
              static_cast<double>(bedroom.calls()) / static_cast<double>(wakes));
}

}  // namespace

Subject eventfd_wake() {
  return {"wake", "floor-eventfd", &run};
}

}  // namespace harness::floors
