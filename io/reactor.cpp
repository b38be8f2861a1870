// SPDX-License-Identifier: BSL-1.0
#include "io/reactor.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <exception>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

#include "io/counters.hpp"
#include "io/source.hpp"

namespace io {
namespace {

Descriptor owned_or_throw(int fd, const char* what) {
  if (fd < 0) throw std::system_error{errno, std::system_category(), what};
  return Descriptor{fd};
}

/// The kernel lets epoll and poll end late by a thousandth of their time-out, whatever the thread's
/// timer slack. A wait for which that matters is cut short by as much, and gone on with.
Duration without_slack(Duration remaining) {
  const Duration slack = remaining / 1000;
  return slack > TimingWheel::tick / 4 ? remaining - slack : remaining;
}

timespec to_timespec(Duration duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  return {static_cast<time_t>(seconds.count()), static_cast<long>((duration - seconds).count())};
}

}  // namespace

Reactor::Reactor(WaitMethod preferred)
    : wait_method_{preferred},
      epoll_{owned_or_throw(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")},
      wake_{owned_or_throw(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")},
      timers_{Clock::now()} {
  // Edge-triggered: every write is an event of its own, so the eventfd is never read.
  epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.ptr = this}};
  count(SystemCall::registration);
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event) != 0) {
    throw std::system_error{errno, std::system_category(), "epoll_ctl"};
  }
}

std::size_t Reactor::turn(TimePoint deadline) {
  delivered_ = 0;
  collected_ =
      collect(resting_ != nullptr ? TimePoint::min() : std::min(deadline, timers_.next_due()));
  std::size_t notified = dispatch() + end_rests();
  if (timers_.size() != 0) notified += timers_.advance(Clock::now());
  return notified;
}

std::size_t Reactor::look_around() {
  const TimePoint now = Clock::now();
  if (now < next_look_) return 0;
  next_look_ = now + look_interval;
  return turn(now);
}

void Reactor::wake() noexcept {
  if (wake_pending_.exchange(true, std::memory_order_acq_rel)) return;
  const int interrupted_errno = errno;
  count_shared(SystemCall::wake);
  const std::uint64_t one = 1;
  // Cannot block (the counter would need 2^64 wakes) and cannot be interrupted.
  if (::write(wake_.get(), &one, sizeof one) != sizeof one) std::terminate();
  errno = interrupted_errno;
}

std::error_code Reactor::add(Source& source) noexcept {
  epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data = {.ptr = &source}};
  count(SystemCall::registration);
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, source.descriptor(), &event) != 0) {
    return {errno, std::system_category()};
  }
  ++sources_;
  return {};
}

// Explicit, because closing is not enough: a duplicate of the descriptor keeps the registration.
void Reactor::remove(const Source& source) noexcept {
  count(SystemCall::registration);
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, source.descriptor(), nullptr) != 0) {
    std::terminate();  // somebody else closed the source's descriptor
  }
  --sources_;
  for (std::size_t i = delivered_; i != collected_; ++i) {
    if (batch_[i].data.ptr == &source) batch_[i].data.ptr = nullptr;
  }
  if (source.resting_) {
    unlink(resting_, source);
    unlink(rested_, source);
  }
}

std::size_t Reactor::collect(TimePoint deadline) {
  while (true) {
    std::optional<Duration> longest;
    if (deadline != never) {
      const TimePoint now = Clock::now();
      longest = deadline > now ? without_slack(deadline - now) : Duration::zero();
    }
    const int events = wait(longest);
    if (events > 0) return static_cast<std::size_t>(events);
    if (events < 0 && errno != EINTR) {
      throw std::system_error{errno, std::system_category(), "epoll_wait"};
    }
    if (events == 0 && Clock::now() >= deadline) return 0;
  }
}

int Reactor::wait(std::optional<Duration> longest) noexcept {
  if (wait_method_ == WaitMethod::epoll_pwait2) {
    const timespec timeout = to_timespec(longest.value_or(Duration::zero()));
    count(SystemCall::wait);
    const int events = ::epoll_pwait2(epoll_.get(), batch_.data(), static_cast<int>(batch_.size()),
                                      longest ? &timeout : nullptr, nullptr);
    if (events >= 0 || errno != ENOSYS) return events;
    wait_method_ = WaitMethod::ppoll;
  }
  return wait_in_two_steps(longest);
}

int Reactor::wait_in_two_steps(std::optional<Duration> longest) noexcept {
  if (longest && *longest > Duration::zero()) {
    const timespec timeout = to_timespec(*longest);
    pollfd epoll{.fd = epoll_.get(), .events = POLLIN, .revents = 0};
    count(SystemCall::wait);
    const int ready = ::ppoll(&epoll, 1, &timeout, nullptr);
    if (ready <= 0) return ready;
  }
  count(SystemCall::wait);
  return ::epoll_wait(epoll_.get(), batch_.data(), static_cast<int>(batch_.size()),
                      longest ? 0 : -1);
}

std::size_t Reactor::dispatch() noexcept {
  std::size_t notified = 0;
  while (delivered_ != collected_) {
    const epoll_event event = batch_[delivered_++];
    if (event.data.ptr == nullptr) continue;
    if (event.data.ptr == this) {
      // Before the owner looks at its inbox: a wake from now on is an event of its own.
      wake_pending_.exchange(false, std::memory_order_acq_rel);
    } else {
      notified += static_cast<Source*>(event.data.ptr)->deliver(event.events);
    }
  }
  return notified;
}

// After the events: who was busy comes last.
std::size_t Reactor::end_rests() noexcept {
  rested_ = std::exchange(resting_, nullptr);
  std::size_t notified = 0;
  while (rested_ != nullptr) {
    Source& source = *std::exchange(rested_, rested_->next_resting_);
    notified += source.end_rest();
  }
  return notified;
}

void Reactor::unlink(Source*& list, const Source& source) noexcept {
  Source** link = &list;
  while (*link != nullptr && *link != &source) link = &(*link)->next_resting_;
  if (*link != nullptr) *link = source.next_resting_;
}

}  // namespace io
