// SPDX-License-Identifier: BSL-1.0
#include "harness/load/crowd.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <system_error>

#include "harness/interrupt.hpp"
#include "harness/row.hpp"

namespace harness::load {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t scratch_bytes = std::size_t{64} << 10;
constexpr Nanoseconds longest_wait = 50ms;
constexpr std::uint32_t reading = EPOLLIN | EPOLLRDHUP | EPOLLET;

// Nanosecond waits where the kernel has them; else whole milliseconds, rounded down so that the
// schedule is not missed, the rest being polled away.
int wait_for_events(int epoll, std::span<epoll_event> into, Nanoseconds at_most) {
  static bool precise = true;
  const int room = static_cast<int>(into.size());
  if (precise && at_most > 0ns) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(at_most);
    const timespec limit{seconds.count(), (at_most - seconds).count()};
    const int ready = ::epoll_pwait2(epoll, into.data(), room, &limit, nullptr);
    if (ready >= 0 || errno != ENOSYS) return ready;
    precise = false;
  }
  const auto whole = std::chrono::floor<std::chrono::milliseconds>(std::max(at_most, 0ns));
  return ::epoll_wait(epoll, into.data(), room, static_cast<int>(whole.count()));
}

std::system_error last_error(const char* what) {
  return std::system_error{errno, std::generic_category(), what};
}

}  // namespace

Crowd::Crowd(const Pattern& pattern, std::size_t capacity, Nanoseconds timeout)
    : pattern_{&pattern},
      timeout_{timeout},
      between_expiries_{std::max(longest_wait, timeout / 10)},  // a walk over all connections
      epoll_{::epoll_create1(EPOLL_CLOEXEC)},
      scratch_(scratch_bytes) {
  if (!epoll_) throw last_error("epoll_create1");
  connections_.reserve(capacity);
}

Connection& Crowd::add(Handle handle) {
  const auto index = static_cast<std::uint32_t>(connections_.size());
  auto connection = std::make_unique<Connection>(std::move(handle), index, *pattern_);
  epoll_event event{.events = reading, .data = {.ptr = connection.get()}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connection->descriptor(), &event) != 0) {
    throw last_error("epoll_ctl");
  }
  connections_.push_back(std::move(connection));
  ++open_;
  return *connections_.back();
}

void Crowd::begin(Connection& connection, TimePoint intended, TimePoint now, Driver& driver) {
  ++busy_;
  settle(connection, connection.begin(intended, now), true, driver);
}

bool Crowd::turn(Nanoseconds at_most, Driver& driver) {
  if (interrupted()) throw Failure{"interrupted: by a signal"};
  const int ready = wait_for_events(epoll_.get(), events_, std::min(at_most, longest_wait));
  if (ready < 0 && errno != EINTR) throw last_error("epoll_wait");
  for (int i = 0; i < ready; ++i) {
    const epoll_event& event = events_[static_cast<std::size_t>(i)];
    auto& connection = *static_cast<Connection*>(event.data.ptr);
    if (!connection.open()) continue;  // broken earlier in this batch
    const bool was_busy = connection.busy();
    settle(connection, connection.go_on(event.events, scratch_), was_busy, driver);
  }
  if (const TimePoint now = Clock::now(); now >= next_expiry_) expire(now, driver);
  return ready > 0;
}

void Crowd::close_all() noexcept {
  for (const auto& connection : connections_) connection->close();
  open_ = busy_ = 0;
}

void Crowd::settle(Connection& connection, Connection::Progress progress, bool was_busy,
                   Driver& driver) {
  if (progress == Connection::Progress::waiting) return watch(connection);
  if (was_busy) --busy_;
  if (progress == Connection::Progress::broken) return drop(connection, driver);
  driver.answered(connection, Clock::now());
}

void Crowd::drop(Connection& connection, Driver& driver) {
  ++errors_[connection.error()];
  connection.close();
  --open_;
  driver.broken(connection);
}

// Writability is asked for only while a message is stuck: on Unix-domain sockets each read of the
// peer would make an event of it.
void Crowd::watch(Connection& connection) {
  if (connection.blocked() == connection.watches_writable) return;
  connection.watches_writable = connection.blocked();
  epoll_event event{.events = reading | (connection.blocked() ? EPOLLOUT : 0u),
                    .data = {.ptr = &connection}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, connection.descriptor(), &event) != 0) {
    throw last_error("epoll_ctl");
  }
}

void Crowd::expire(TimePoint now, Driver& driver) {
  next_expiry_ = now + between_expiries_;
  for (const auto& connection : connections_) {
    if (!connection->open() || !connection->busy() || now - connection->begun() < timeout_)
      continue;
    connection->fail(ErrorKind::timeout);
    --busy_;
    drop(*connection, driver);
  }
}

}  // namespace harness::load
