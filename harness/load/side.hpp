// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>

#include "harness/load/crowd.hpp"
#include "harness/load/loops.hpp"
#include "harness/load/plan.hpp"
#include "harness/load/server_clock.hpp"

namespace harness::load {

/// One server with its connections, and what has been measured of it.
class Side {
 public:
  Side(const Plan& plan, const Target& target, const Pattern& pattern);

  /// Brings up so many connections in all, each answered once. Throws Failure.
  void connect(std::uint64_t connections);
  /// Drives the server in closed loop without keeping anything but the number of its answers.
  /// Throws Failure.
  void warm_up(Nanoseconds length);
  [[nodiscard]] std::uint64_t warmed_by() const noexcept { return warmed_by_; }
  /// From one answer to the next while warming up; 0 before.
  [[nodiscard]] Nanoseconds warm_interval() const noexcept {
    return warmed_by_ == 0 ? Nanoseconds{} : Nanoseconds{warmed_for_ / warmed_by_};
  }
  /// Whether the process whose CPU time is told can be the one that serves. Throws Failure when it
  /// holds fewer sockets than there are connections: it is another, or shares the work with some.
  void check_process() const;
  /// What one slice has cost the server for an operation, empty without a process to watch; the
  /// slice is added to the tally. Throws Failure for a wrong byte, when there is nobody left to
  /// talk to, and when the process that is watched does nothing: then it is not the one that
  /// serves.
  std::optional<double> slice(Nanoseconds length);
  void disconnect() noexcept { crowd_.close_all(); }

  [[nodiscard]] const Target& target() const noexcept { return target_; }
  [[nodiscard]] const Tally& tally() const noexcept { return tally_; }
  [[nodiscard]] const Errors& errors() const noexcept { return crowd_.errors(); }
  /// Of the server, in all slices; empty without a process to watch.
  [[nodiscard]] std::optional<Nanoseconds> server_cpu() const noexcept { return server_cpu_; }
  /// Of the CPU time that the server has used since its first slice began, the share outside its
  /// slices: work put off until somebody else's turn, which its figures would miss. Empty without a
  /// process to watch.
  [[nodiscard]] std::optional<double> cpu_between_slices() const;
  /// How much of one CPU the generator itself needed for this server, fruitless polling not
  /// counted.
  [[nodiscard]] double own_cpu_share() const noexcept;

 private:
  std::optional<double> cost_of_slice(Nanoseconds length);
  void drive(Nanoseconds length, Tally& tally);
  void check(std::uint64_t operations) const;
  [[nodiscard]] Nanoseconds useful_cpu_time() const;

  const Plan& plan_;
  const Target& target_;
  Crowd crowd_;
  std::optional<ServerClock> clock_;
  std::optional<Nanoseconds> server_cpu_;
  Nanoseconds cpu_at_start_{};  // of the first slice
  Nanoseconds cpu_at_end_{};    // of the last
  Nanoseconds own_cpu_{};
  Tally tally_;
  std::uint64_t warmed_by_ = 0;
  Nanoseconds warmed_for_{};
};

}  // namespace harness::load
