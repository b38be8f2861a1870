// SPDX-License-Identifier: BSL-1.0
#include "tests/harness/misbehaving.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <limits>
#include <new>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "harness/cgroup.hpp"
#include "harness/process.hpp"

namespace harness {

namespace {

void await_go(const Port& port) {
  std::error_code error;
  const io::Descriptor go = port.go_descriptor(io::Mode::blocking, error);
  std::array<std::byte, 1> byte;
  if (error || io::read_some(go.get(), byte).bytes != 1) throw std::runtime_error{"no go"};
}

void say_raw(const Port& port, const std::string& text) {
  std::error_code error;
  const io::Descriptor line = port.go_descriptor(io::Mode::blocking, error);
  if (error || send(line.get(), text.data(), text.size(), MSG_NOSIGNAL) < 0) std::_Exit(9);
}

void behave(Port& port, const Cell& cell) {
  port.mark("idle", 0);
  await_go(port);
  port.mark("parked", cell.number("tasks", 1));
  await_go(port);
  port.result("ns_per_switch", std::array{3.0, 1.0, 2.0});
  port.result("answer", 42);
  port.note("well");
}

/// Figures in order, one that is steady, one that is not, and one that is none.
void report_figures(Port& port, const Cell&) {
  port.result("ns_per_switch", std::array{10.0, 10.1, 10.2});
  port.result("p99_ns", std::array{1.0, 50.0, 900.0});
  port.result("ratio", std::numeric_limits<double>::quiet_NaN());
  port.note("guard madvise");
}

/// Grows by what the cell says, touched, and by three threads.
void grow(Port& port, const Cell& cell) {
  port.mark("small", 0);
  await_go(port);
  const auto bytes = static_cast<std::size_t>(cell.number("bytes"));
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc{};
  std::memset(memory, 1, bytes);
  for (int i = 0; i < 3; ++i)
    std::thread{[] {
      pause();
    }}.detach();
  port.mark("big", 3);
  await_go(port);
  std::_Exit(0);  // the threads pause for ever
}

void describe_itself(Port& port, const Cell&) {
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) throw std::runtime_error{"affinity"};
  port.result("cpus", CPU_COUNT(&cpus));
  port.result("cpu", sched_getcpu());
  port.result("timer_slack", prctl(PR_GET_TIMERSLACK));
  port.result("measure_ns", static_cast<double>(port.measure_for().count()));
}

void burn(Port& port, const Cell&) {
  std::thread{[] {
    timespec used{};
    while (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0 && used.tv_nsec < 30'000'000 &&
           used.tv_sec == 0) {
    }
  }}.join();
  port.mark("burnt", 0);
  await_go(port);
}

[[noreturn]] void hang(Port&, const Cell&) {
  for (;;) pause();
}

void crash(Port&, const Cell& cell) {
  (void)signal(static_cast<int>(cell.number("signal")), SIG_DFL);
  (void)raise(static_cast<int>(cell.number("signal")));
}

[[noreturn]] void die(Port&, const Cell&) {
  std::_Exit(3);
}
void leave_early(Port&, const Cell&) {}
void say_wrong(Port& port, const Cell&) {
  port.failure("wrong: byte 7 is 3,\nnot 4");
  port.failure("failed: a later word that is not kept");
}
[[noreturn]] void refuse(Port& port, const Cell&) {
  port.give_up("refused: pid_max reached=32450 limit=32768");
}
void throw_up(Port&, const Cell&) {
  throw std::runtime_error{"a thing that went wrong"};
}
/// More than there is room for.
void run_out_of_memory() {
  const rlimit limit{rlim_t{1} << 30, rlim_t{1} << 30};
  if (setrlimit(RLIMIT_AS, &limit) != 0) throw std::runtime_error{"setrlimit"};
  ::operator delete(::operator new (std::size_t{2} << 30));
}
void handle_running_out() {
  try {
    run_out_of_memory();
  } catch (const std::bad_alloc&) {
  }
}
void throw_something_else() {
  throw std::runtime_error{"something else"};
}

/// Ends by std::terminate, in one way or another.
void terminate(Port&, const Cell& cell) {
  const auto end = cell.text("end");
  if (end == "no-memory-in-a-thread") std::thread{&run_out_of_memory}.join();
  if (end == "no-memory-in-noexcept")
    []() noexcept {
      run_out_of_memory();
    }();
  handle_running_out();
  if (end == "else-in-a-thread") std::thread{&throw_something_else}.join();
  if (end == "else-in-noexcept")
    []() noexcept {
      throw_something_else();
    }();
  std::terminate();
}
void talk_nonsense(Port& port, const Cell&) {
  say_raw(port, "good morning\n");
}
void report_no_figure(Port& port, const Cell&) {
  say_raw(port, "result ns_per_switch 1,x,3\n");
}

[[noreturn]] void flood_with_results(Port& port, const Cell&) {
  for (std::uint64_t i = 0;; ++i) port.result("n" + std::to_string(i), 1);
}
[[noreturn]] void flood_without_end(Port& port, const Cell&) {
  for (;;) say_raw(port, std::string(65'536, 'x'));
}
[[noreturn]] void close_and_go_on(Port& port, const Cell& cell) {
  for (int fd = 3; fd < 64; ++fd) (void)close(fd);
  hang(port, cell);
}

/// Threads that come and go, and nothing else.
void outlive_threads(Port& port, const Cell&) {
  const GroupClock group;
  if (!group.now()) return;
  const auto process = [] {
    rusage used{};
    if (getrusage(RUSAGE_SELF, &used) != 0) std::_Exit(9);
    return cpu_time(used);
  };
  const auto group_before = *group.now();
  const auto process_before = process();
  for (int i = 0; i != 5'000; ++i)
    std::thread{[] {
    }}.join();
  const auto of_process = process() - process_before;
  const auto of_group = *group.now() - group_before;
  port.result("missed_ns", static_cast<double>((of_group - of_process).count()));
}

}  // namespace

std::vector<Subject> misbehaving_subjects() {
  return {{"test", "behaves", &behave},
          {"test", "figures", &report_figures},
          {"test", "grows", &grow},
          {"test", "describes", &describe_itself},
          {"test", "burns", &burn},
          {"test", "hangs", &hang},
          {"test", "crashes", &crash},
          {"test", "dies", &die},
          {"test", "leaves", &leave_early},
          {"test", "wrong", &say_wrong},
          {"test", "refuses", &refuse},
          {"test", "throws", &throw_up},
          {"test", "terminates", &terminate},
          {"test", "nonsense", &talk_nonsense},
          {"test", "nofigure", &report_no_figure},
          {"test", "floods", &flood_with_results},
          {"test", "endless", &flood_without_end},
          {"test", "closes", &close_and_go_on},
          {"test", "outlives", &outlive_threads}};
}

}  // namespace harness
