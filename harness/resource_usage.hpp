// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "harness/subject.hpp"
#include "io/clock.hpp"

namespace harness {

/// How long a CPU has been busy since the machine started, what was stolen from it included; empty
/// when it cannot be told. Precise to a tick. Interrupts are left out: they may well be for the
/// timers that are measured.
std::optional<std::chrono::nanoseconds> busy_time(int cpu);

/// What this process has used up to a moment, all its threads together.
struct ResourceUsage {
  io::TimePoint at;
  std::chrono::nanoseconds cpu{};
  std::uint64_t system_calls = 0;  ///< those that io/ and the rooms count
  std::uint64_t involuntary_switches = 0;
  std::optional<std::uint64_t> allocations;
  /// How long its CPUs have been busy for anybody, or away (stolen), and how many they are; empty
  /// for a process that has none of its own. In the kernel's steps of 10 ms.
  std::optional<std::chrono::nanoseconds> busy_cpu;
  std::size_t own_cpus = 0;

  /// Before what is measured, and after it: what the looking itself takes lies outside of both.
  /// `cpus` are the process's own; none: the one that it is kept on, if it is.
  static ResourceUsage at_start(std::span<const int> cpus = {});
  static ResourceUsage at_end(std::span<const int> cpus = {});

 private:
  void look_at_process();
  void look_at(std::span<const int> cpus);
};

/// Whether the system calls of what is measured are counted: those of floors and peers, which share
/// no code with io/, are not, and their zero means nothing.
enum class SystemCallCount : bool { absent, present };

/// What lies between two moments.
struct Consumption {
  ResourceUsage from;
  ResourceUsage to;

  [[nodiscard]] std::chrono::duration<double> elapsed() const { return to.at - from.at; }
  /// Sends `cpu_share`, `others_cpu_share` (what anybody else took of its CPUs; not
  /// of less than 100 ms),
  /// `involuntary_switches`, and of one of `operations`, called UNIT: `cpu_ns_per_UNIT`,
  /// `syscalls_per_UNIT` (where they are counted), `allocs_per_UNIT`.
  void report(Port& port, std::string_view unit, std::uint64_t operations,
              SystemCallCount calls) const;
};

}  // namespace harness
