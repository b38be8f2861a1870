// SPDX-License-Identifier: BSL-1.0
#include "harness/load/plan.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>

#include "harness/limits.hpp"
#include "harness/row.hpp"

namespace harness::load {
namespace {

constexpr std::uint64_t other_descriptors = 16;  // standard ones, port, epolls
constexpr std::uint64_t most_sources = 250;      // 127.0.0.1 to 127.0.0.250

std::uint64_t ports_an_address() {
  std::ifstream file{"/proc/sys/net/ipv4/ip_local_port_range"};
  std::uint64_t first = 0, last = 0;
  if (!(file >> first >> last) || last < first) return 28'232;  // the kernel's default range
  return last - first + 1;
}

// Some ports may be taken, by others or by connections that linger: use half of them.
std::uint64_t sources_needed(std::uint64_t connections) {
  const std::uint64_t used = std::max<std::uint64_t>(ports_an_address() / 2, 1);
  return (connections + used - 1) / used;
}

void check_descriptors(std::uint64_t needed) {
  const std::uint64_t limit = raise_descriptor_limit();
  if (limit < needed) {
    throw Failure{
        fmt::format("refused: RLIMIT_NOFILE of the load generator reached={} limit={} needed={}",
                    limit, limit, needed)};
  }
}

void check_ports(const Plan& plan, const Target& target) {
  if (!target.address.tcp()) return;
  const std::uint64_t sources = target.address.loopback() ? most_sources : 1;
  const std::uint64_t limit = sources * ports_an_address();
  if (plan.connections > limit) {
    throw Failure{fmt::format("refused: ip_local_port_range reached={} limit={} needed={}", limit,
                              limit, plan.connections)};
  }
}

}  // namespace

std::chrono::nanoseconds Plan::drain_of(std::chrono::nanoseconds length) const noexcept {
  return std::min(timeout, std::max(least_drain, length));
}

std::string Plan::objection() const {
  if (connections < 1 || connections > most_connections) {
    return fmt::format("--connections: {} is not from 1 to {}", connections, most_connections);
  }
  if (active > connections) {
    return fmt::format("--active: {} of {} connections cannot be active", active, connections);
  }
  if (bytes < 1 || bytes > most_bytes) {
    return fmt::format("--bytes: {} is not from 1 to {}", bytes, most_bytes);
  }
  if (!(rate >= 0 && rate <= most_rate)) {
    return fmt::format("--rate: {} is not from 0 to {}", rate, most_rate);
  }
  return {};
}

void preflight(const Plan& plan) {
  const std::uint64_t servers = plan.against ? 2 : 1;
  check_descriptors(plan.connections * servers + other_descriptors);
  check_ports(plan, plan.target);
  if (plan.against) check_ports(plan, *plan.against);
}

unsigned source_addresses(const Plan& plan, const Target& target) {
  if (!target.address.loopback()) return 0;
  return static_cast<unsigned>(std::min(sources_needed(plan.connections), most_sources));
}

}  // namespace harness::load
