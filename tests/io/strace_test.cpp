// SPDX-License-Identifier: BSL-1.0
// The count of system calls against somebody who can see them all.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <utility>

#include "io/counters.hpp"

namespace {

constexpr std::string_view kinds =
    "recvfrom,sendto,accept4,epoll_ctl,epoll_pwait2,ppoll,epoll_wait,write";

/// 0 when the command ran and was content.
int run(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Reads the table of `strace -c`: "% time  seconds  usecs/call  calls  [errors]  syscall".
std::map<std::string, std::uint64_t> calls_in(const std::filesystem::path& table) {
  std::map<std::string, std::uint64_t> calls;
  std::ifstream file{table};
  for (std::string line; std::getline(file, line);) {
    std::istringstream words{line};
    double share = 0;
    double seconds = 0;
    std::uint64_t each = 0;
    std::uint64_t made = 0;
    if (!(words >> share >> seconds >> each >> made)) continue;
    std::string name;
    for (std::string word; words >> word;) name = word;  // the last one: errors may stand before
    calls[name] = made;
  }
  return calls;
}

class StraceTest : public testing::TestWithParam<std::string> {
 protected:
  StraceTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "yardstack-XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  ~StraceTest() override { std::filesystem::remove_all(folder); }
  std::filesystem::path folder;
};

TEST_P(StraceTest, SeesTheSameNumberOfCalls) {
  if (run("strace -o /dev/null true >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "strace is missing or may not trace here (ptrace)";
  }
  const std::string table = folder / "table";
  const std::string told = folder / "told";
  // The leak checker cannot work while it is traced itself.
  ASSERT_EQ(run("ASAN_OPTIONS=detect_leaks=0 strace -f -c -e trace=" + std::string{kinds} + " -o " +
                table + " " STRACE_SUBJECT " " + GetParam() + " >" + told),
            0);
  io::SystemCalls counted;
  std::ifstream line{told};
  for (std::uint64_t& made : counted.made) ASSERT_TRUE(line >> made);
  auto seen = calls_in(table);
  using io::SystemCall;
  EXPECT_EQ(counted[SystemCall::read], seen["recvfrom"]);
  EXPECT_EQ(counted[SystemCall::write], seen["sendto"]);
  EXPECT_EQ(counted[SystemCall::accept], seen["accept4"]);
  EXPECT_EQ(counted[SystemCall::registration], seen["epoll_ctl"]);
  EXPECT_EQ(counted[SystemCall::wait], seen["epoll_pwait2"] + seen["ppoll"] + seen["epoll_wait"]);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  EXPECT_LE(counted[SystemCall::wake], seen["write"]);  // the sanitizer's run-time writes, too
#else
  EXPECT_EQ(counted[SystemCall::wake], seen["write"]);
#endif
  EXPECT_EQ(std::exchange(counted[SystemCall::yield], 1), 0U);  // the threads' alone
  for (const std::uint64_t made : counted.made) EXPECT_GT(made, 0U);
  EXPECT_EQ(seen["ppoll"] > 0, GetParam() == "ppoll");
}

INSTANTIATE_TEST_SUITE_P(Methods, StraceTest, testing::Values("epoll_pwait2", "ppoll"),
                         [](const auto& method) { return method.param; });

}  // namespace
