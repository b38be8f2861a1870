// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "io/socket.hpp"

namespace harness {

/// A control group for one subject, v1 or v2, made beneath this process's own or the nearest
/// ancestor that can hand its controller down. Removed with the object, once its processes have
/// ended.
class Cgroup {
 public:
  enum class Version { v1, v2 };
  /// What the group keeps an account of.
  enum class Account { memory, cpu_time };

  /// Empty where none can be made (no controller, no permission), or where one would be scheduled
  /// as a group, which costs each switch something: measuring goes on without.
  static std::optional<Cgroup> create(Account account, const std::string& name);

  Cgroup(Cgroup&& other) noexcept;
  Cgroup& operator=(Cgroup&&) = delete;
  ~Cgroup();

  [[nodiscard]] Version version() const noexcept { return version_; }
  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }

 private:
  Cgroup(Version version, std::filesystem::path folder);

  Version version_;
  std::filesystem::path folder_;
};

/// The CPU time of this process when it has a group of its own (Process makes one). A process's
/// clock misses what a thread has used from its last switch on when it ends (kernel/exit.c sums it
/// up before that): a fifth of a CPU where all that runs are threads that come and go. The group
/// is charged for all of it; read in the middle of a run, at most a tick of the kernel late.
class GroupClock {
 public:
  GroupClock();

  /// Empty without a group of its own. Neither allocates nor throws.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> now() const noexcept;

 private:
  io::Descriptor account_;
};

/// A moment by both clocks.
struct CpuTime {
  std::chrono::nanoseconds process{};
  std::optional<std::chrono::nanoseconds> group;
};

/// What was used between two moments: what the clock says that has missed less of it. A tick is 4 %
/// of a tenth of a second.
std::chrono::nanoseconds used_between(const CpuTime& from, const CpuTime& to) noexcept;

}  // namespace harness
