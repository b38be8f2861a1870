// SPDX-License-Identifier: BSL-1.0
#include "harness/limits.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness/allocations.hpp"
#include "io/endpoint.hpp"
#include "io/socket.hpp"
#include "tests/harness/in_a_child.hpp"

namespace harness {
namespace {

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
}

TEST(Limits, OfPortsIsTheRangeOfTheKernel) {
  const auto answer = in_a_child([] {
    if (!enter_own_network()) return std::string{no_own_network};
    write_setting("/proc/sys/net/ipv4/ip_local_port_range", "40000 40009");
    return std::to_string(port_limit().limit);
  });
  if (answer == no_own_network) GTEST_SKIP() << answer;
  EXPECT_EQ(answer, "10");
}

TEST(Limits, OfPortsIsNotBlamedForAnAddressThatIsNotOurs) {
  std::error_code error;
  const auto foreign = io::Endpoint::parse("tcp:192.0.2.1:0", error);  // nobody's: for examples
  ASSERT_FALSE(error);
  EXPECT_FALSE(io::listen(foreign, io::Mode::blocking, error));
  EXPECT_EQ(error, std::errc::address_not_available);
  EXPECT_EQ(refusal(error, 0), "failed: " + error.message() + " after 0");
  EXPECT_TRUE(refusal(std::system_error{error}).starts_with("failed: "));
}

}  // namespace
}  // namespace harness
