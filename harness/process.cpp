// SPDX-License-Identifier: BSL-1.0
#include "harness/process.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <time.h>
#include <unistd.h>

#include "harness/interrupt.hpp"
#include "harness/row.hpp"

namespace harness {

namespace {

std::system_error last_error(const char* what) {
  return std::system_error{errno, std::system_category(), what};
}

std::optional<Cgroup> new_cgroup(Cgroup::Account account) {
  static std::atomic<unsigned> made{0};
  return Cgroup::create(account, fmt::format("yardstack-{}-{}", getpid(), made++));
}

bool has_both_accounts(const std::optional<Cgroup>& group) {
  return group && group->version() == Cgroup::Version::v2;
}

/// Where a process writes itself to join the group; -1 and no group any more if it could not.
int door_of(std::optional<Cgroup>& group) {
  if (!group) return -1;
  const int door = open((group->folder() / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC);
  if (door < 0) group.reset();
  return door;
}

/// Everything the new process needs, prepared before the fork: afterwards only async-signal-safe
/// calls are allowed.
struct Preparation {
  std::vector<char*> argv;
  cpu_set_t cpus;
  bool pinned;
  bool own_group;
  int inherited_fd;
  std::array<int, 2> cgroup_doors;
  pid_t parent;
};

constexpr int cannot_start = 127;

void keep_only_standard_and(int inherited) noexcept {
  const auto first = static_cast<unsigned>(STDERR_FILENO + 1);
  const auto kept = static_cast<unsigned>(inherited);
  if (inherited < 0) {
    close_range(first, UINT_MAX, 0);
    return;
  }
  if (kept > first) close_range(first, kept - 1, 0);
  close_range(kept + 1, UINT_MAX, 0);
  if (fcntl(inherited, F_SETFD, 0) != 0) _exit(cannot_start);
}

/// Tells the parent through the port, as a subject would; only async-signal-safe calls.
[[noreturn]] void give_up(int port, std::string_view step) noexcept {
  const char* const name = strerrorname_np(errno);
  for (const std::string_view text :
       {std::string_view{"failure failed: a process cannot be started: "}, step,
        std::string_view{": "}, std::string_view{name != nullptr ? name : "?"},
        std::string_view{"\n"}}) {
    if (port < 0 || write(port, text.data(), text.size()) < 0) break;
  }
  _exit(cannot_start);
}

[[noreturn]] void become(const Preparation& ready) noexcept {
  const auto check = [&ready](bool done, std::string_view step) {
    if (!done) give_up(ready.inherited_fd, step);
  };
  // The parent may have died before the kernel knew that we follow it.
  check(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == ready.parent, "PR_SET_PDEATHSIG");
  check(prctl(PR_SET_TIMERSLACK, 1) == 0, "PR_SET_TIMERSLACK");
  check(!ready.pinned || sched_setaffinity(0, sizeof ready.cpus, &ready.cpus) == 0, "its CPUs");
  for (const int door : ready.cgroup_doors) {
    check(door < 0 || write(door, "0", 1) == 1, "its cgroup");
  }
  sigset_t none;
  sigemptyset(&none);
  check(sigprocmask(SIG_SETMASK, &none, nullptr) == 0, "sigprocmask");
  for (const int ignored : {SIGPIPE, SIGXFSZ}) {
    check(signal(ignored, SIG_DFL) != SIG_ERR, "the default of a signal");
  }
  const int empty = open("/dev/null", O_RDONLY);
  check(empty >= 0 && dup2(empty, STDIN_FILENO) == STDIN_FILENO, "/dev/null");
  check(dup2(STDERR_FILENO, STDOUT_FILENO) == STDOUT_FILENO, "standard output");
  // A terminal's Ctrl-C is for the parent, which ends its children in order.
  check(!ready.own_group || setpgid(0, 0) == 0, "setpgid");
  keep_only_standard_and(ready.inherited_fd);
  execv(ready.argv.front(), ready.argv.data());
  give_up(ready.inherited_fd, "execv");
}

}  // namespace

std::chrono::nanoseconds cpu_time(const rusage& usage) {
  const auto duration = [](const timeval& time) {
    return std::chrono::seconds{time.tv_sec} + std::chrono::microseconds{time.tv_usec};
  };
  return duration(usage.ru_utime) + duration(usage.ru_stime);
}

bool Ending::clean() const noexcept {
  return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0;
}

std::string Ending::failure() const {
  if (clean()) return {};
  if (WIFSIGNALED(wait_status)) {
    const char* name = sigabbrev_np(WTERMSIG(wait_status));
    return fmt::format("crashed: SIG{}", name != nullptr ? name : "?");
  }
  return fmt::format("failed: exit status {}", WEXITSTATUS(wait_status));
}

Process::Process(const Start& start)
    : memory_cgroup_{start.own_cgroups ? new_cgroup(Cgroup::Account::memory) : std::nullopt},
      cpu_cgroup_{start.own_cgroups && !has_both_accounts(memory_cgroup_)
                      ? new_cgroup(Cgroup::Account::cpu_time)
                      : std::nullopt} {
  const std::array doors{door_of(memory_cgroup_), door_of(cpu_cgroup_)};
  Preparation ready{{},    {},      !start.cpus.empty(), start.own_group, start.inherited_fd,
                    doors, getpid()};
  CPU_ZERO(&ready.cpus);
  for (const int cpu : start.cpus) CPU_SET(static_cast<unsigned>(cpu), &ready.cpus);
  // execv does not write to its arguments; its type is older than const.
  for (const auto& argument : start.argv) ready.argv.push_back(const_cast<char*>(argument.c_str()));
  ready.argv.push_back(nullptr);

  pid_ = fork();
  if (pid_ == 0) become(ready);
  const int fork_error = errno;
  for (const int door : doors) {
    if (door >= 0) close(door);
  }
  if (pid_ < 0) throw std::system_error{fork_error, std::system_category(), "fork"};
  pid_descriptor_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  if (pid_descriptor_ < 0) {
    const auto error = last_error("pidfd_open");
    kill();
    throw error;
  }
}

Process::~Process() {
  kill();
  if (pid_descriptor_ >= 0) close(pid_descriptor_);
}

std::chrono::nanoseconds Process::cpu_time() const {
  clockid_t clock{};
  if (const int error = clock_getcpuclockid(pid_, &clock); error != 0) {
    throw std::system_error{error, std::system_category(), "clock_getcpuclockid"};
  }
  timespec used{};
  if (clock_gettime(clock, &used) != 0) throw last_error("clock_gettime");
  return std::chrono::seconds{used.tv_sec} + std::chrono::nanoseconds{used.tv_nsec};
}

void Process::signal(int number) noexcept {
  if (!ending_) (void)::kill(pid_, number);  // it may have ended a moment ago
}

Ending Process::wait_until(std::chrono::steady_clock::time_point deadline, bool& timed_out) {
  timed_out = false;
  while (!ending_) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      timed_out = true;
      return kill();
    }
    pollfd watched[] = {{pid_descriptor_, POLLIN, 0}, {interrupt_descriptor(), POLLIN, 0}};
    const auto wait_ms = static_cast<int>(std::min<long>(left.count(), INT_MAX));
    if (poll(watched, 2, wait_ms) < 0 && errno != EINTR) throw last_error("poll");
    if (watched[0].revents != 0) return reap();
    if (interrupted()) throw Failure{"interrupted: by a signal"};
  }
  return *ending_;
}

Ending Process::kill() {
  if (!ending_) (void)::kill(-pid_, SIGKILL);  // fails for who has no group of its own, or not yet
  signal(SIGKILL);
  return reap();
}

Ending Process::reap() {
  if (ending_) return *ending_;
  Ending ending;
  while (wait4(pid_, &ending.wait_status, 0, &ending.usage) < 0) {
    if (errno != EINTR) throw last_error("wait4");
  }
  ending_ = ending;
  return ending;
}

std::string own_path() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

}  // namespace harness
