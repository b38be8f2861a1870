// SPDX-License-Identifier: BSL-1.0
#include "harness/load/ramp.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "harness/limits.hpp"

namespace harness::load {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_unanswered = 64;  // below every sensible backlog

}  // namespace

Ramp::Ramp(Crowd& crowd, const Plan& plan, const Target& target)
    : crowd_{crowd}, plan_{plan}, target_{target}, sources_{source_addresses(plan, target)} {}

void Ramp::up_to(std::uint64_t connections) {
  while (crowd_.size() < connections || crowd_.busy() > 0) {
    if (crowd_.size() < connections && crowd_.busy() < most_unanswered) {
      connect_one();
      crowd_.turn(0ns, *this);
    } else {
      crowd_.turn(plan_.timeout, *this);
    }
  }
}

void Ramp::connect_one() {
  const unsigned source = sources_ == 0 ? 0 : 1 + static_cast<unsigned>(crowd_.size() % sources_);
  std::error_code error;
  Handle handle = target_.address.connect(source, plan_.timeout, error);
  if (error) throw not_connected(error);
  const TimePoint now = Clock::now();
  crowd_.begin(crowd_.add(std::move(handle)), now, now, *this);
}

/// What connects leaves the port to the kernel: no address to be had means no port.
Failure Ramp::not_connected(std::error_code error) const {
  if (error == std::errc::address_not_available && target_.address.tcp()) {
    const std::uint64_t ports = port_limit().limit * std::max(sources_, 1U);
    return Failure{refusal("ip_local_port_range", crowd_.size(), ports)};
  }
  const bool late = error == std::errc::timed_out;
  return Failure{fmt::format("{}: connection {} of {} to {}: {}", late ? "timeout" : "failed",
                             crowd_.size() + 1, plan_.connections, target_.address.text(),
                             error.message())};
}

void Ramp::broken(Connection& connection) {
  const ErrorKind kind = connection.error();
  if (kind == ErrorKind::timeout) {
    throw Failure{fmt::format("timeout: {} did not answer the first message of connection {} of {}",
                              target_.address.text(), connection.index() + 1, plan_.connections)};
  }
  throw Failure{fmt::format("{}: connection {} of {} to {}: {} in its first message",
                            kind == ErrorKind::corrupt ? "wrong" : "failed", connection.index() + 1,
                            plan_.connections, target_.address.text(),
                            error_names[static_cast<std::size_t>(kind)])};
}

}  // namespace harness::load
