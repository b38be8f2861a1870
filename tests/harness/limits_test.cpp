// SPDX-License-Identifier: BSL-1.0
#include "harness/limits.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/allocations.hpp"

namespace harness {
namespace {

/// What `action` answers in a process of its own, whose limits it may lower.
std::string in_a_child(const std::function<std::string()>& action) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return "no pipe";
  const pid_t pid = fork();
  if (pid == 0) {
    const std::string answer = action();
    const bool sent = write(ends[1], answer.data(), answer.size()) >= 0;
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  std::string answer(4096, '\0');
  const ssize_t got = read(ends[0], answer.data(), answer.size());
  answer.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  close(ends[0]);
  waitpid(pid, nullptr, 0);
  return answer;
}

bool lower(int resource, rlim_t to) {
  const rlimit limit{to, to};
  return setrlimit(static_cast<__rlimit_resource_t>(resource), &limit) == 0;
}

TEST(Limits, OfDescriptorsIsNamedWhenItIsReached) {
  const auto answer = in_a_child([] {
    if (!lower(RLIMIT_NOFILE, 256)) return std::string{"cannot lower"};
    std::uint64_t opened = 0;
    while (open("/dev/null", O_RDONLY) >= 0) ++opened;
    const std::error_code error{errno, std::system_category()};
    if (!allocations()) {  // a sanitizer's own checks need a pipe
      for (int fd = 250; fd < 254; ++fd) close(fd);
    }
    return refusal(error, opened);
  });
  EXPECT_TRUE(answer.starts_with("refused: RLIMIT_NOFILE reached=")) << answer;
  EXPECT_TRUE(answer.ends_with("limit=256")) << answer;
}

TEST(Limits, OfProcessesIsNamedWhenItIsReached) {
  const auto answer = in_a_child([] {
    // The superuser is not held to it.
    if (getuid() == 0 && (setgid(65'534) != 0 || setuid(65'534) != 0))
      return std::string{"no user"};
    if (!lower(RLIMIT_NPROC, 40)) return std::string{"cannot lower"};
    std::uint64_t started = 0;
    for (;; ++started) {
      pthread_t thread{};
      const auto idle = [](void*) -> void* {
        return pause(), nullptr;
      };
      const int error = pthread_create(&thread, nullptr, idle, nullptr);
      if (error != 0) return refusal({error, std::system_category()}, started);
    }
  });
  EXPECT_TRUE(answer.starts_with("refused: RLIMIT_NPROC reached=")) << answer;
  EXPECT_TRUE(answer.ends_with("limit=40")) << answer;
}

TEST(Limits, OfAddressSpaceIsNamedWhenItIsReached) {
  if (!allocations()) GTEST_SKIP() << "a sanitizer needs all the address space there is";
  const auto answer = in_a_child([] {
    constexpr std::size_t piece = std::size_t{1} << 20;
    if (!lower(RLIMIT_AS, std::size_t{1} << 30)) return std::string{"cannot lower"};
    std::uint64_t mapped = 0;
    while (mmap(nullptr, piece, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
      ++mapped;
    return refusal({errno, std::system_category()}, mapped);
  });
  EXPECT_TRUE(answer.starts_with("refused: RLIMIT_AS reached=")) << answer;
}

TEST(Limits, OfMappingsIsNamedWhenItIsReached) {
  if (!allocations()) GTEST_SKIP() << "a sanitizer maps beside us";
  const auto answer = in_a_child([] {
    std::uint64_t mapped = 0;
    for (;; ++mapped) {  // neighbours differ, so that the kernel cannot merge them
      const int protection = mapped % 2 == 0 ? PROT_READ : PROT_NONE;
      if (mmap(nullptr, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) break;
      if (mapped > 1'000'000) return std::string{"no limit met"};
    }
    return refusal({errno, std::system_category()}, mapped);
  });
  EXPECT_TRUE(answer.starts_with("refused: max_map_count reached=") || answer == "no limit met")
      << answer;
}

TEST(Limits, AreNotBlamedForOtherErrors) {
  EXPECT_TRUE(
      refusal(std::make_error_code(std::errc::invalid_argument), 3).starts_with("failed: "));
  // Nothing is near its limit here: an error that could be one is not explained by it.
  EXPECT_TRUE(
      refusal(std::make_error_code(std::errc::too_many_files_open), 3).starts_with("failed: "));
}

TEST(Limits, AreReadAndNotExceeded) {
  for (const auto& limits : {task_limits(), descriptor_limits(), memory_limits()}) {
    EXPECT_FALSE(limits.empty());
    for (const auto& limit : limits) {
      EXPECT_GT(limit.limit, 0U) << limit.name;
      EXPECT_LE(limit.used, limit.limit) << limit.name;
    }
  }
  EXPECT_GT(port_limit().limit, 0U);
}

}  // namespace
}  // namespace harness
