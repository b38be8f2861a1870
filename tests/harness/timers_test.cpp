// SPDX-License-Identifier: BSL-1.0
// Every subject of bench-timers keeps a small timetable, in this process.
#include "harness/workloads/timers.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <unistd.h>

#include "harness/floors/pacing.hpp"
#include "harness/floors/timer_peers.hpp"
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
  harness::keep_lateness(results, *harness::Cell::parse("timers/b/tasks:1"), options);
  EXPECT_EQ(results.size(), before - 1) << "a histogram is no counter";
  std::ifstream file{folder + "/timers_b_tasks:1.json"};
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
