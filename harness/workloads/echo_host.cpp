// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/echo_host.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdexcept>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

#include "harness/allocations.hpp"
#include "harness/limits.hpp"

namespace harness {

namespace {

using namespace std::chrono_literals;

/// Descriptors and threads take time to come free.
constexpr io::Duration pause_at_a_limit = 10ms;

std::error_code last_error() {
  return {errno, std::system_category()};
}

io::Endpoint endpoint_of(const Cell& cell) {
  if (cell.text("transport", "tcp") == "unix") {
    return {io::Endpoint::Transport::unix_domain, fmt::format("@yardstack-{}", getpid()), 0};
  }
  return {io::Endpoint::Transport::tcp, cell.text("host", "127.0.0.1"),
          static_cast<std::uint16_t>(cell.number("port"))};
}

/// Ends the accept that waits at a listener, from outside the room. A TCP listener that is shut
/// down does it; a Unix-domain one would go on saying "not now", but lets a last visitor in. If
/// there is no descriptor left for him, or no room in the queue, the server is not waiting there
/// anyway.
void wake_acceptor(const io::Descriptor& listener, const io::Endpoint& where) noexcept {
  if (where.transport == io::Endpoint::Transport::tcp) {
    ::shutdown(listener.get(), SHUT_RDWR);
    return;
  }
  std::error_code error;
  const io::Address address = io::Address::of(where, error);
  const io::Descriptor visitor{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!error && visitor) static_cast<void>(::connect(visitor.get(), address.get(), address.size));
}

}  // namespace

EchoHost::Guest::Guest(EchoHost& host, int descriptor) noexcept
    : host_{host}, descriptor_{descriptor} {
  const std::lock_guard lock{host_.mutex_};
  next_ = host_.guests_;
  if (next_ != nullptr) next_->previous_ = this;
  host_.guests_ = this;
  ++host_.present_;
  ++host_.admitted_;
  // It came in while the door was being shut.
  if (host_.stopping()) ::shutdown(descriptor_, SHUT_RDWR);
}

EchoHost::Guest::~Guest() {
  const std::lock_guard lock{host_.mutex_};
  (previous_ == nullptr ? host_.guests_ : previous_->next_) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
  --host_.present_;
}

EchoHost::EchoHost(Port& port, const Cell& cell, io::Mode mode)
    : port_{port}, mode_{mode}, limits_wait_{cell.text("limits") == "wait"} {
  raise_descriptor_limit();
  std::error_code error;
  listener_ = io::listen(endpoint_of(cell), mode, error);
  if (!error) where_ = io::local_endpoint(listener_, error);
  if (error) throw std::system_error{error, endpoint_of(cell).text()};
  door_ = io::Descriptor{fcntl(listener_.get(), F_DUPFD_CLOEXEC, 0)};
  if (!door_) throw std::system_error{last_error(), "F_DUPFD_CLOEXEC"};
}

io::Descriptor EchoHost::go() const {
  std::error_code error;
  io::Descriptor descriptor = port_.go_descriptor(mode_, error);
  if (error) throw std::system_error{error, "go"};
  return descriptor;
}

void EchoHost::open() {
  opened_ = Counters::now();
  port_.mark("idle", 0);
  port_.listening(where_);
}

bool EchoHost::advance() {
  switch (goes_++) {
    case 0:
      before_ = Counters::now();
      port_.mark("measuring", present());
      return true;
    case 1:
      report();
      port_.mark("measured", present());
      return true;
    default:
      return false;
  }
}

void EchoHost::stop() noexcept {
  const std::lock_guard lock{mutex_};
  stopping_.store(true, std::memory_order_release);
  wake_acceptor(door_, where_);
  for (const Guest* guest = guests_; guest != nullptr; guest = guest->next_) {
    ::shutdown(guest->descriptor_, SHUT_RDWR);
  }
}

io::TimePoint EchoHost::turned_away(std::error_code error) {
  if (!limits_wait_) port_.failure(refusal(error, present()));
  return io::Clock::now() + pause_at_a_limit;
}

EchoHost::Counters EchoHost::Counters::now() {
  return {io::system_calls(), harness::allocations()};
}

void EchoHost::report() {
  const Counters after = Counters::now();
  const io::SystemCalls made = after.calls - before_.calls;
  const auto send = [&](const char* name, std::uint64_t value) {
    port_.result(name, static_cast<double>(value));
  };
  send("reads", made[io::SystemCall::read] - 1);  // one was the second *go*
  send("writes", made[io::SystemCall::write]);
  send("waits", made[io::SystemCall::wait]);
  send("wakes", made[io::SystemCall::wake]);
  if (after.allocations) send("allocations", *after.allocations - *before_.allocations);
  const io::SystemCalls since_opening = after.calls - opened_.calls;
  const std::lock_guard lock{mutex_};
  send("registrations", since_opening[io::SystemCall::registration]);
  send("connections", admitted_);
}

std::uint64_t EchoHost::present() const {
  const std::lock_guard lock{mutex_};
  return present_;
}

}  // namespace harness
