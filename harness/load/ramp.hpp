// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <system_error>

#include "harness/load/crowd.hpp"
#include "harness/load/plan.hpp"
#include "harness/row.hpp"

namespace harness::load {

/// Brings connections up at the pace of the server: each new one must have its first message
/// answered, and only a few may be waiting for that, so no backlog overflows and each connection is
/// known to be served. Throws Failure when a connection cannot be made or is not answered.
class Ramp final : private Crowd::Driver {
 public:
  Ramp(Crowd& crowd, const Plan& plan, const Target& target);

  /// Goes on until the crowd has so many connections.
  void up_to(std::uint64_t connections);

 private:
  void answered(Connection&, TimePoint) override {}
  void broken(Connection& connection) override;
  void connect_one();
  [[nodiscard]] Failure not_connected(std::error_code error) const;

  Crowd& crowd_;
  const Plan& plan_;
  const Target& target_;
  unsigned sources_;
};

}  // namespace harness::load
