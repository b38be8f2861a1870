// SPDX-License-Identifier: BSL-1.0
#include "harness/options.hpp"

#include <filesystem>
#include <gtest/gtest.h>

#include "harness/pin.hpp"

namespace harness {
namespace {

using namespace std::chrono_literals;

ParsedCommandLine parse(std::vector<std::string> arguments) {
  const Usage usage{"bench-test",
                    "A test.",
                    1s,
                    {"threads", "floor-poll"},
                    {{.key = "tasks", .defaults = {"2", "1000"}, .minimum = 2, .maximum = 5000},
                     {.key = "via", .defaults = {"event"}, .words = {"event", "yield"}}},
                    {}};
  arguments.insert(arguments.begin(), "bench-test");
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  return parse_command_line(static_cast<int>(arguments.size()), argv.data(), usage);
}

TEST(Options, HaveDefaults) {
  const auto parsed = parse({});
  ASSERT_TRUE(parsed.options);
  EXPECT_EQ(parsed.options->order_seed, 0U);
  EXPECT_EQ(parsed.options->measure_for, 1s);
  EXPECT_EQ(parsed.options->subject_cpu, allowed_cpus().back());
  EXPECT_EQ(parsed.options->load_cpu, allowed_cpus().front());
  EXPECT_FALSE(parsed.options->strict);
  EXPECT_EQ(parsed.options->list("tasks"), (std::vector<std::string>{"2", "1000"}));
  EXPECT_EQ(parsed.benchmark_argv, (std::vector<std::string>{"bench-test"}));
}

TEST(Options, AreTakenInEveryForm) {
  const auto folder = std::filesystem::path{testing::TempDir()} / "histograms-of-options-test";
  const auto parsed = parse(
      {"--tasks=2,30", "--via", "yield", "--contenders=threads", "--seconds=0.25", "--timeout", "7",
       "--order-seed=18446744073709551615", "--strict", "--histograms=" + folder.string(),
       "--cell=switch/threads/tasks:2", "--benchmark_filter=a b", "--benchmark_format=json"});
  ASSERT_TRUE(parsed.options);
  EXPECT_EQ(parsed.options->list("tasks"), (std::vector<std::string>{"2", "30"}));
  EXPECT_EQ(parsed.options->list("via"), (std::vector<std::string>{"yield"}));
  EXPECT_EQ(parsed.options->contenders, (std::vector<std::string>{"threads"}));
  EXPECT_EQ(parsed.options->measure_for, 250ms);
  EXPECT_EQ(parsed.options->timeout, 7s);
  EXPECT_EQ(parsed.options->order_seed, 18'446'744'073'709'551'615U);
  EXPECT_TRUE(parsed.options->strict);
  EXPECT_EQ(parsed.options->cells, (std::vector<std::string>{"switch/threads/tasks:2"}));
  EXPECT_TRUE(std::filesystem::is_directory(folder));
  EXPECT_EQ(parsed.options->filter, "a b");
  EXPECT_EQ(parsed.benchmark_argv,
            (std::vector<std::string>{"bench-test", "--benchmark_format=json"}));
  std::filesystem::remove(folder);
}

TEST(Options, NameOnePointInOneWay) {
  const auto parsed = parse({"--tasks=002,0030"});
  ASSERT_TRUE(parsed.options);
  EXPECT_EQ(parsed.options->list("tasks"), (std::vector<std::string>{"2", "30"}));
}

TEST(Options, RefuseWhatIsOutOfRangeWithOneLine) {
  for (const auto* argument : {"--tasks=1",
                               "--tasks=5001",
                               "--tasks=2,x",
                               "--tasks=",
                               "--tasks=-2",
                               "--via=shout",
                               "--contenders=asio",
                               "--contenders=threads,asio",
                               "--seconds=0",
                               "--seconds=-1",
                               "--seconds=x",
                               "--seconds=1e9",
                               "--seconds=nan",
                               "--timeout=0",
                               "--order-seed=-1",
                               "--order-seed=x",
                               "--subject-cpu=99999",
                               "--load-cpu=-1",
                               "--histograms=/proc/none",
                               "--unknown",
                               "stray",
                               "--contenders=",
                               "--contenders=,",
                               "--cell=",
                               "--seconds=",
                               "",
                               "--benchmark_repetitions=3",
                               "--benchmark_repetitions",
                               "--benchmark_report_aggregates_only=true",
                               "--benchmark_display_aggregates_only=true",
                               "--benchmark_min_time=1",
                               "--benchmark_min_warmup_time=1",
                               "--benchmark_enable_random_interleaving=true",
                               "--benchmark_perf_counters=CYCLES",
                               "--benchmark_time_unit=ns",
                               "--benchmark_format=xml",
                               "--benchmark_out_format=yaml",
                               "--benchmark_out=/proc/none/x.json"}) {
    testing::internal::CaptureStderr();
    const auto parsed = parse({argument});
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_FALSE(parsed.options) << argument;
    EXPECT_EQ(parsed.exit_status, 2) << argument;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << argument << ": " << said;
    EXPECT_TRUE(said.starts_with("bench-test: ")) << said;
  }
}

TEST(Options, AnEmptyValueTakesNotTheNextFlagForOne) {
  testing::internal::CaptureStderr();
  EXPECT_FALSE(parse({"--contenders=", "--seconds=1"}).options);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "bench-test: --contenders: its value is empty; give one, or leave the flag out\n");
}

TEST(Options, OfTheEnvironmentAreRefusedAsFlagsAre) {
  for (const auto* variable : {"BENCHMARK_REPETITIONS", "BENCHMARK_MIN_TIME", "BENCHMARK_OUT",
                               "BENCHMARK_OUT_FORMAT", "BENCHMARK_FILTER"}) {
    setenv(variable, "3", 1);
    testing::internal::CaptureStderr();
    EXPECT_FALSE(parse({}).options);
    const std::string said = testing::internal::GetCapturedStderr();
    unsetenv(variable);
    EXPECT_TRUE(said.starts_with(std::string{"bench-test: "} + variable)) << said;
  }
}

TEST(Options, HelpIsNoError) {
  testing::internal::CaptureStdout();
  const auto parsed = parse({"--help"});
  const std::string said = testing::internal::GetCapturedStdout();
  EXPECT_FALSE(parsed.options);
  EXPECT_EQ(parsed.exit_status, 0);
  for (const auto* word : {"--tasks", "--order-seed", "--benchmark_filter"}) {
    EXPECT_NE(said.find(word), std::string::npos) << word;
  }
}

}  // namespace
}  // namespace harness
