// SPDX-License-Identifier: BSL-1.0
#include "harness/context.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gnu/libc-version.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "harness/build_info.hpp"
#include "harness/cgroup.hpp"
#include "harness/limits.hpp"
#include "harness/pin.hpp"
#include "harness/proc_files.hpp"
#include "harness/tree_hash.hpp"
#include "harness/verdict/validity.hpp"
#include "io/budget.hpp"

namespace harness {

namespace {

namespace fs = std::filesystem;

std::string known(std::string_view text) {
  return std::string{text.empty() ? "unknown" : text};
}

/// The only line of a file, or what is said of it.
std::string line_of(const fs::path& file) {
  std::string text = read_text(file);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return known(text);
}

/// Of `always [madvise] never`, the one in brackets.
std::string chosen(const fs::path& file) {
  const std::string text = read_text(file);
  const auto open = text.find('[');
  const auto close = text.find(']');
  if (open == std::string::npos || close == std::string::npos) return known({});
  return text.substr(open + 1, close - open - 1);
}

std::string cpu_model() {
  const std::string text = read_text("/proc/cpuinfo");
  for (const auto* name : {"model name", "Hardware", "CPU implementer"}) {
    const auto line = text.find(name);
    const auto value = line == std::string::npos ? line : text.find(": ", line);
    if (value == std::string::npos) continue;
    return text.substr(value + 2, text.find('\n', value) - value - 2);
  }
  return known({});
}

std::string kernel() {
  utsname names{};
  if (uname(&names) != 0) return known({});
  return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
}

std::string mitigations() {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry{"/sys/devices/system/cpu/vulnerabilities", error}, end;
       !error && entry != end; entry.increment(error)) {
    const auto text = line_of(entry->path());
    if (text == "Not affected") continue;
    found.push_back(fmt::format("{}: {}", entry->path().filename().string(), text));
  }
  std::sort(found.begin(), found.end());
  return found.empty() ? "none" : fmt::format("{}", fmt::join(found, "; "));
}

std::string limits_text() {
  std::vector<std::string> texts;
  for (auto& limit : task_limits()) texts.push_back(fmt::format("{}={}", limit.name, limit.limit));
  for (const auto& limits : {descriptor_limits(), memory_limits(), {port_limit()}}) {
    for (const auto& limit : limits) {
      constexpr auto unlimited = std::uint64_t{1} << 60;  // a v1 cgroup's way to say so
      if (limit.limit < unlimited) texts.push_back(fmt::format("{}={}", limit.name, limit.limit));
    }
  }
  return fmt::format("{}", fmt::join(texts, " "));
}

std::string memory_cgroup() {
  const auto group =
      Cgroup::create(Cgroup::Account::memory, fmt::format("yardstack-{}-probe", getpid()));
  if (!group) return "none: kernel columns are the whole machine's";
  return group->version() == Cgroup::Version::v1 ? "v1" : "v2";
}

/// What one reading of the clock costs: the least of a few batches.
double clock_cost_ns() {
  constexpr int readings = 10'000;
  double least = 1e9;
  for (int batch = 0; batch < 5; ++batch) {
    const auto start = std::chrono::steady_clock::now();
    auto now = start;
    for (int i = 0; i < readings; ++i) now = std::chrono::steady_clock::now();
    least =
        std::min(least, std::chrono::duration<double, std::nano>{now - start}.count() / readings);
  }
  return least;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "unset";
}

constexpr const char* governor_file = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";

}  // namespace

std::vector<std::pair<std::string, std::string>> run_context(const Options& options) {
  const auto seconds = [](std::chrono::nanoseconds time) {
    return fmt::format("{}", std::chrono::duration<double>{time}.count());
  };
  return {
      {"context_schema", "1"},
      {"cpu_model", cpu_model()},
      {"cpus_allowed", fmt::format("{}", fmt::join(allowed_cpus(), ","))},
      {"kernel", kernel()},
      {"governor", line_of(governor_file)},
      {"smt", line_of("/sys/devices/system/cpu/smt/active")},
      {"mitigations", mitigations()},
      {"transparent_huge_pages", chosen("/sys/kernel/mm/transparent_hugepage/enabled")},
      {"limits", limits_text()},
      {"memory_cgroup", memory_cgroup()},
      {"malloc_arena_max", environment("MALLOC_ARENA_MAX")},
      {"clock_source", known(verdict::clock_source())},
      {"poll_budget", std::to_string(io::poll_budget)},
      {"look_interval_us", fmt::format("{}", io::look_interval / std::chrono::microseconds{1})},
      {"calls_a_slice", std::to_string(io::calls_a_slice)},
      {"clock_cost_ns", fmt::format("{:.1f}", clock_cost_ns())},
      {"compiler", build::compiler},
      {"build_type", build::type},
      {"flags", build::flags},
      {"libraries", fmt::format("{}, glibc {}", build::libraries, gnu_get_libc_version())},
      {"library_build_type_says",
       "only how Google Benchmark was packaged: its loop runs once a cell"},
      {"commit", build::commit},
      {"tree_hash", build::tree_hash},
      {"order_seed", std::to_string(options.order_seed)},
      {"seconds", seconds(options.measure_for)},
      {"timeout", seconds(options.timeout)},
      {"subject_cpu", std::to_string(options.subject_cpu)},
      {"load_cpu", std::to_string(options.load_cpu)},
  };
}

std::string build_objection() {
  if (*build::sanitizers != '\0') {
    return fmt::format("built with sanitizers ({}): it measures nothing", build::sanitizers);
  }
#if !defined(NDEBUG) || !defined(__OPTIMIZE__)
  return "a debug build measures nothing: use the release preset";
#else
  return {};
#endif
}

std::string descriptor_objection() {
  constexpr rlim_t least = 32;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= least) return {};
  return fmt::format("RLIMIT_NOFILE is {}, at least {} are needed: ulimit -n {}", limit.rlim_cur,
                     least, least);
}

std::vector<std::string> environment_objections() {
  std::vector<std::string> objections;
  std::array<double, 1> load{};
  const auto cpus = static_cast<double>(allowed_cpus().size());
  if (getloadavg(load.data(), 1) == 1 && load[0] > cpus / 2) {
    objections.push_back(fmt::format("load average {:.1f} on {} CPUs", load[0], cpus));
  }
  if (!verdict::is_fast_clock(verdict::clock_source())) {
    objections.push_back(fmt::format("clock source {}", known(verdict::clock_source())));
  }
  const std::string governor = line_of(governor_file);
  if (governor != "performance" && governor != "unknown") {
    objections.push_back(fmt::format("CPU frequency governor {}", governor));
  }
  return objections;
}

}  // namespace harness
