// SPDX-License-Identifier: BSL-1.0
#include "harness/runner.hpp"

#include <csignal>
#include <functional>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/allocations.hpp"
#include "harness/pin.hpp"
#include "harness/snapshot.hpp"

namespace harness {
namespace {

using namespace std::chrono_literals;

Cell cell(const std::string& contender) {
  return {"test", contender, {}};
}

Options options(std::chrono::nanoseconds timeout = 60s) {
  Options options;
  options.measure_for = 7ms;
  options.timeout = timeout;
  options.subject_cpu = allowed_cpus().back();
  return options;
}

/// What a row would say of it.
std::string failure_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "no failure";
}

std::string failure_of(const Cell& cell, std::chrono::nanoseconds timeout = 60s) {
  return failure_of([&] {
    Child child{cell, options(timeout)};
    child.finish();
  });
}

TEST(Child, GoesThroughItsMarks) {
  Child child{cell("behaves").with("tasks", "1000"), options()};
  EXPECT_EQ(child.await_mark("idle"), 0U);
  child.go();
  EXPECT_EQ(child.await_mark("parked"), 1000U);
  EXPECT_GT(Snapshot::of(child.process()).resident, 0U);
  EXPECT_GT(Snapshot::of(child.process()).files, 0U) << "our own program";
  child.go();
  const Results results = child.finish();
  EXPECT_EQ(results.at("ns_per_switch"), (std::vector{3.0, 1.0, 2.0}));
  EXPECT_EQ(results.at("answer"), (std::vector{42.0}));
  EXPECT_EQ(child.notes(), (std::vector<std::string>{"well"}));
  EXPECT_TRUE(child.ending().clean());
}

TEST(Child, IsPinnedPreciseAndToldHowLong) {
  Child child{cell("describes"), options()};
  const Results results = child.finish();
  EXPECT_EQ(results.at("cpus").front(), 1);
  EXPECT_EQ(results.at("cpu").front(), options().subject_cpu);
  EXPECT_EQ(results.at("timer_slack").front(), 1);
  EXPECT_EQ(results.at("measure_ns").front(), 7e6);
}

TEST(Child, HasACpuClockThatSeesEndedThreads) {
  Child child{cell("burns"), options()};
  child.await_mark("burnt");
  EXPECT_GE(child.process().cpu_time(), 30ms);
  child.go();
  child.finish();
}

TEST(Child, HasAMemoryCgroupThatGoesWithIt) {
  std::filesystem::path folder;
  {
    Child child{cell("behaves"), options()};
    if (!child.process().memory_cgroup()) GTEST_SKIP() << "no memory cgroup can be made here";
    folder = child.process().memory_cgroup()->folder();
    child.await_mark("idle");
    EXPECT_TRUE(std::filesystem::exists(folder));
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Child, IsChargedForWhatItsThreadsUseLast) {
  Child child{cell("outlives"), options()};
  const Results results = child.finish();
  if (results.empty()) GTEST_SKIP() << "no CPU time cgroup can be made here";
  EXPECT_GT(results.at("missed_ns").front(), 0) << "by the process's own clock";
}

TEST(Snapshot, SeesWhatTheSubjectHasGrownBy) {
  constexpr std::uint64_t bytes = std::uint64_t{32} << 20;
  Child child{cell("grows").with("bytes", std::to_string(bytes)), options()};
  child.await_mark("small");
  const auto small = Snapshot::of(child.process());
  child.go();
  child.await_mark("big");
  const auto big = Snapshot::of(child.process());
  EXPECT_GE(big.resident - small.resident, bytes);
  if (allocations()) {  // a sanitizer's shadow grows, too
    EXPECT_LE(big.resident - small.resident, bytes + bytes / 4);
  }
  EXPECT_GE(big.virtual_size - small.virtual_size, bytes);
  EXPECT_GE(big.page_tables - small.page_tables, bytes / 4096 * 8);
  EXPECT_GE(big.mappings - small.mappings, 4U) << "a block and three stacks";
  if (allocations()) {  // a sanitizer's own thread starts with the first
    EXPECT_EQ(big.threads - small.threads, 3U);
  } else {
    EXPECT_GE(big.threads - small.threads, 3U);
  }
  ASSERT_TRUE(big.kernel && big.kernel_stacks && big.slab);
  if (big.origin != Snapshot::Origin::machine) {
    EXPECT_GE(*big.kernel - *small.kernel, 3U * 4096) << "three kernel stacks at least";
  }
  child.go();
  child.finish();
}

TEST(Snapshot, OfAProcessThatHasEndedIsAnError) {
  Child child{cell("leaves"), options()};
  child.finish();
  EXPECT_THROW(Snapshot::of(child.process()), std::system_error);
}

TEST(Child, SaysHowItEnded) {
  EXPECT_EQ(failure_of(cell("dies")), "failed: exit status 3");
  EXPECT_EQ(failure_of(cell("wrong")), "wrong: byte 7 is 3, not 4");
  EXPECT_EQ(failure_of(cell("refuses")), "refused: pid_max reached=32450 limit=32768");
  EXPECT_EQ(failure_of(cell("throws")), "failed: a thing that went wrong");
  EXPECT_EQ(failure_of(cell("nobody")), "failed: this program has no subject for test/nobody");
}

TEST(Child, ThatCrashesNamesTheSignal) {
  for (const auto& [signal, name] : {std::pair{SIGABRT, "SIGABRT"},
                                     {SIGKILL, "SIGKILL"},
                                     {SIGSEGV, "SIGSEGV"},
                                     {SIGFPE, "SIGFPE"}}) {
    const Cell crashing = cell("crashes").with("signal", std::to_string(signal));
    EXPECT_EQ(failure_of([&] {
                Child child{crashing, options()};
                child.await_mark("idle");
              }),
              std::string{"crashed: "} + name);
  }
}

TEST(Child, NamesTheLimitWhenMissingMemoryEndsItAndOnlyThen) {
  if (!allocations()) GTEST_SKIP() << "a sanitizer needs all the address space there is";
  for (const auto* end : {"no-memory-in-a-thread", "no-memory-in-noexcept"}) {
    const auto said = failure_of(cell("terminates").with("end", end));
    EXPECT_TRUE(said.starts_with("refused: RLIMIT_AS reached=")) << end << ": " << said;
  }
  // After a request that was too large, too, but was dealt with.
  for (const auto* end : {"else-in-a-thread", "else-in-noexcept", "no-exception"}) {
    EXPECT_EQ(failure_of(cell("terminates").with("end", end)), "crashed: SIGABRT") << end;
  }
}

TEST(Child, ThatHangsIsGivenUpAndKilled) {
  pid_t pid = 0;
  const std::string failure = failure_of([&pid] {
    Child child{cell("hangs"), options(300ms)};
    pid = child.process().pid();
    child.await_mark("idle");
  });
  EXPECT_EQ(failure, "timeout: waiting for mark idle");
  EXPECT_EQ(kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(Child, ThatClosesItsPortAndGoesOnIsGivenUp) {
  EXPECT_EQ(failure_of(cell("closes"), 300ms), "timeout: waiting for the subject's end");
}

TEST(Child, ThatLeavesBeforeItsMarkHasFailed) {
  EXPECT_EQ(failure_of([] {
              Child{cell("leaves"), options()}.await_mark("idle");
            }),
            "failed: the subject ended too early");
}

TEST(Child, ThatTalksNonsenseHasFailed) {
  EXPECT_EQ(failure_of(cell("nonsense")),
            "failed: the subject said 'good morning' where results was expected");
  EXPECT_EQ(failure_of(cell("nofigure")), "failed: no figure in the result ns_per_switch 1,x,3");
  EXPECT_EQ(failure_of([] {
              Child{cell("behaves"), options()}.await_mark("parked");
            }),
            "failed: mark idle 0 where parked was expected");
}

TEST(Child, ThatFloodsIsStopped) {
  EXPECT_EQ(failure_of(cell("floods")), "failed: the subject floods with results");
  EXPECT_EQ(failure_of(cell("endless")), "failed: the subject sent a line without end");
}

TEST(Child, ThatHasGoneIsFoundOutByGo) {
  EXPECT_EQ(failure_of([] {
              Child child{cell("refuses"), options()};
              bool timed_out = false;
              child.process().wait_until(child.deadline(), timed_out);
              child.go();  // nobody hears it, but there are last words
            }),
            "refused: pid_max reached=32450 limit=32768");
}

/// Runs `parent` in a process of its own and returns what it sent, without waiting for its end.
template <class Parent>
pid_t fork_parent(int (&pipe_ends)[2], Parent parent) {
  if (pipe(pipe_ends) != 0) std::abort();
  const pid_t pid = fork();
  if (pid != 0) return pid;
  parent(pipe_ends[1]);
  _exit(0);
}

TEST(Child, DiesWithItsParentHoweverThatDies) {
  int pipe_ends[2];
  const pid_t parent = fork_parent(pipe_ends, [](int out) {
    Child child{cell("hangs"), options()};
    const pid_t pid = child.process().pid();
    if (write(out, &pid, sizeof pid) == sizeof pid) pause();
  });
  pid_t orphan = 0;
  ASSERT_EQ(read(pipe_ends[0], &orphan, sizeof orphan), static_cast<ssize_t>(sizeof orphan));
  const int watched = static_cast<int>(syscall(SYS_pidfd_open, orphan, 0));
  ASSERT_GE(watched, 0);
  ASSERT_EQ(kill(parent, SIGKILL), 0);
  ASSERT_EQ(waitpid(parent, nullptr, 0), parent);
  pollfd gone{watched, POLLIN, 0};
  EXPECT_EQ(poll(&gone, 1, 60'000), 1) << "an orphan is left: " << orphan;
  close(watched);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

}  // namespace
}  // namespace harness
