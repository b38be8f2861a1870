// SPDX-License-Identifier: BSL-1.0
// Every subject of bench-timers keeps a small timetable, in this process.
#include "harness/workloads/timers.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sstream>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include "harness/floors/pacing.hpp"
#include "harness/floors/timer_peers.hpp"
#include "harness/histogram_files.hpp"
#include "harness/json.hpp"
#include "harness/lateness.hpp"
#include "tests/harness/port_reader.hpp"

namespace {

using harness::Subject;
using namespace std::chrono_literals;

std::vector<Subject> all_subjects() {
  auto subjects = harness::timers_subjects();
  subjects.push_back(harness::floors::heap_timers());
  subjects.push_back(harness::floors::thread_per_timer());
  return subjects;
}

class TimersTest : public testing::TestWithParam<Subject> {
 protected:
  std::map<std::string, double> run(const std::string& parameters) {
    PortReader reader{100ms};
    const auto cell =
        harness::Cell::parse("timers/" + std::string{GetParam().contender} + "/" + parameters);
    EXPECT_TRUE(cell);
    GetParam().run(reader.port, *cell);
    EXPECT_EQ(reader.failure(), "");
    return reader.results();
  }
};

TEST_P(TimersTest, KeepsAPeriodicTable) {
  const auto results = run("tasks:40/period_us:10000");
  EXPECT_EQ(results.at("planned"), 400);
  EXPECT_TRUE(results.contains("lateness_p50_ns"));
  EXPECT_TRUE(results.contains("timers_per_s"));
  EXPECT_TRUE(results.contains("cpu_share"));
  const bool is_peer = GetParam().contender.starts_with("peer-");
  EXPECT_EQ(results.contains("syscalls_per_timer"), !is_peer);
}

TEST_P(TimersTest, KeepsAOneShotTable) {
  const auto results = run("tasks:300/oneshot_us:50000");
  EXPECT_EQ(results.at("planned"), 300);
  EXPECT_EQ(results.at("missed"), 0);
}

INSTANTIATE_TEST_SUITE_P(Subjects, TimersTest, testing::ValuesIn(all_subjects()),
                         [](const auto& subject) {
                           std::string name{subject.param.contender};
                           std::erase(name, '-');
                           return name;
                         });

/// From now on this thread's kernel is one without that call.
void take_away(unsigned system_call) {
  std::array<sock_filter, 4> program{
      {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, system_call, 0, 1),
       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
  const sock_fprog filter{.len = program.size(), .filter = program.data()};
  ASSERT_EQ(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

TEST(HeapTimers, DoWithoutEpollPwait2) {
  PortReader reader{50ms};
  std::thread{[&reader] {
    take_away(SYS_epoll_pwait2);
    errno = 0;
    EXPECT_EQ(::syscall(SYS_epoll_pwait2, -1, nullptr, 0, nullptr, nullptr, 0), -1);
    EXPECT_EQ(errno, ENOSYS);
    harness::floors::heap_timers().run(
        reader.port, *harness::Cell::parse("timers/peer-heap/tasks:10/period_us:5000"));
  }}.join();
  EXPECT_EQ(reader.failure(), "");
  EXPECT_EQ(reader.results()["planned"], 100);
}

TEST(Pacing, LooksAtEveryMoment) {
  const auto lateness = harness::floors::spin(10ms);
  EXPECT_EQ(lateness.count(), 10ms / harness::floors::pacing_step - 1);
}

TEST(Lateness, ReachesAFileWhole) {
  harness::Histogram lateness;
  for (const std::uint64_t ns : {0U, 17U, 1000U, 123'456U, 123'456U, 987'654'321U})
    lateness.record(ns);
  PortReader reader;
  harness::report_lateness(reader.port, lateness);
  harness::Results results;
  for (const std::string& line : reader.lines()) {
    const auto space = line.find(' ', 7);
    std::istringstream numbers{line.substr(space + 1)};
    for (std::string number; std::getline(numbers, number, ',');) {
      results[line.substr(7, space - 7)].push_back(std::stod(number));
    }
  }
  std::string folder = (std::filesystem::temp_directory_path() / "yardstack-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  harness::Options options;
  options.histograms = folder;
  const auto before = results.size();
  harness::keep_histograms({{"lateness_ns", harness::take_lateness(results)}},
                           *harness::Cell::parse("timers/b/tasks:1"), options);
  EXPECT_EQ(results.size(), before - 1) << "a histogram is no counter";
  std::ifstream file{folder + "/timers_b_tasks_1.json"};
  std::stringstream text;
  text << file.rdbuf();
  std::error_code error;
  const auto kept = harness::histogram_from_json(text.str(), "lateness_ns", error);
  EXPECT_FALSE(error) << error.message();
  EXPECT_EQ(kept.count(), lateness.count());
  EXPECT_EQ(kept.max(), lateness.max());
  EXPECT_EQ(kept.percentile(50), lateness.percentile(50));
  std::filesystem::remove_all(folder);
}

}  // namespace
