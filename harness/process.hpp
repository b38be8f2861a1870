// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <sys/types.h>
#include <vector>

#include "harness/cgroup.hpp"

namespace harness {

/// User and system time together.
std::chrono::nanoseconds cpu_time(const rusage& usage);

/// How a process ended, and what it used in its life.
struct Ending {
  int wait_status = 0;
  rusage usage{};

  [[nodiscard]] bool clean() const noexcept;
  /// `crashed: SIGSEGV`, `failed: exit status 3`; empty for a clean one.
  [[nodiscard]] std::string failure() const;
};

/// How a process of ours is to start.
struct Start {
  std::vector<std::string> argv;  ///< argv[0] is the path of the program
  std::vector<int> cpus;          ///< pinned to these; empty: wherever
  int inherited_fd = -1;          ///< stays open in it under the same number
  bool own_cgroups = false;       ///< of memory and of CPU time, where they can be made
  bool own_group = true;  ///< else it goes with this process's, and with whatever it starts itself
};

/// A process that never outlives this one: killed with its owner, and by the kernel when this
/// process dies. Timer slack 1 ns, no signal blocked, standard output sent to standard error (our
/// own is for the reporter), standard input empty. Start it on the main thread: the kernel watches
/// that thread.
class Process {
 public:
  /// Throws std::system_error when it cannot be started; a program that cannot be run ends with
  /// 127.
  explicit Process(const Start& start);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  [[nodiscard]] const std::optional<Cgroup>& memory_cgroup() const noexcept {
    return memory_cgroup_;
  }
  /// CPU time of all its threads so far, those that have ended included (clock_getcpuclockid).
  [[nodiscard]] std::chrono::nanoseconds cpu_time() const;

  void signal(int number) noexcept;
  /// Waits until it has ended by itself, or is killed at the deadline: then `timed_out` is set.
  Ending wait_until(std::chrono::steady_clock::time_point deadline, bool& timed_out);
  /// Kills it, and what it has started in its group, if it still runs; its ending either way.
  Ending kill();

 private:
  Ending reap();

  std::optional<Cgroup> memory_cgroup_;
  std::optional<Cgroup> cpu_cgroup_;  ///< in v1; in v2 the other has that account, too
  pid_t pid_ = -1;
  int pid_descriptor_ = -1;
  std::optional<Ending> ending_;
};

/// The path of the running program itself.
std::string own_path();

}  // namespace harness
