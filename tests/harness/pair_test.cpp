// SPDX-License-Identifier: BSL-1.0
#include "harness/pair.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "harness/pin.hpp"

namespace harness {
namespace {

using namespace std::chrono_literals;

/// What the row of `echo/mortal` says when so much happens to one of its servers.
std::string row_when(const std::string& dies, const std::string& at, const std::string& how) {
  Options options;
  options.measure_for = 100ms;
  options.timeout = 60s;
  options.subject_cpu = allowed_cpus().back();
  options.load_cpu = allowed_cpus().front();
  const Cell cell{"echo",
                  "mortal",
                  {{"transport", "unix"},
                   {"connections", "4"},
                   {"bytes", "64"},
                   {"dies", dies},
                   {"at", at},
                   {"how", how}}};
  try {
    return measure_pair(cell, options).get("cpu_vs_floor") ? "figures" : "no figures";
  } catch (const Failure& failure) {
    return failure.what();
  }
}

TEST(Pair, HasFiguresWhileBothServersLive) {
  EXPECT_EQ(row_when("nobody", "start", "crashed"), "figures");
}

TEST(Pair, IsOfferedTheRateThatAnEarlierCallHasKept) {
  const std::string file = testing::TempDir() + "half-rates-of-a-pair";
  std::ofstream{file} << "unix-4-4-64: 3000\n";
  Options options;
  options.measure_for = 100ms;
  options.timeout = 60s;
  options.subject_cpu = allowed_cpus().back();
  options.load_cpu = allowed_cpus().front();
  options.settings["half-rates"] = file;
  const Cell cell{"echo",
                  "mortal",
                  {{"transport", "unix"}, {"connections", "4"}, {"bytes", "64"}, {"rate", "half"}}};
  EXPECT_EQ(measure_pair(cell, options).get("offered_ops_per_s"), 3000);
  std::filesystem::remove(file);
}

TEST(Pair, BlamesAServerForWhatItSaysLast) {
  const std::string said = "refused: pid_max reached=1 limit=1";
  EXPECT_EQ(row_when("mortal", "idle", "refused"), said);
  EXPECT_EQ(row_when("floor-epoll", "idle", "refused"), said + " (the floor)");
}

/// At whatever stage a server dies, the row says whose death it was: it has the contender's name
/// itself, and the floor is named.
class ServerThatDies : public testing::TestWithParam<const char*> {};

TEST_P(ServerThatDies, IsBlamedByItsName) {
  const std::string at = GetParam();
  EXPECT_EQ(row_when("mortal", at, "crashed"), "crashed: SIGKILL");
  EXPECT_EQ(row_when("floor-epoll", at, "crashed"), "crashed: SIGKILL (the floor)");
}

INSTANTIATE_TEST_SUITE_P(Stages, ServerThatDies, testing::Values("start", "idle", "end"),
                         [](const auto& stage) { return std::string{stage.param}; });

}  // namespace
}  // namespace harness
