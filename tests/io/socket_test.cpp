// SPDX-License-Identifier: BSL-1.0
#include "io/socket.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <thread>
#include <unistd.h>

#include "tests/io/alarm.hpp"
#include "tests/io/wired.hpp"

namespace {

using io::Descriptor;
using io::Endpoint;
using io::Mode;

Descriptor listen_on(std::string_view text, std::error_code& error) {
  const Endpoint where = Endpoint::parse(text, error);
  return error ? Descriptor{} : io::listen(where, Mode::nonblocking, error);
}

int option_of(const Descriptor& socket, int level, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  EXPECT_EQ(::getsockopt(socket.get(), level, name, &value, &size), 0);
  return value;
}

bool is_nonblocking(const Descriptor& socket) {
  return (::fcntl(socket.get(), F_GETFL) & O_NONBLOCK) != 0;
}

/// A path of its own for each test, gone with it.
class UnixPathTest : public testing::Test {
 protected:
  UnixPathTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "yardstack-XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  ~UnixPathTest() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path() const { return folder_ + "/socket"; }

 private:
  std::string folder_;
};

TEST(Descriptor, ClosesOnceAndIsEmptyAfterAMove) {
  Pair pair;
  const int fd = pair.ours.get();
  Descriptor moved = std::move(pair.ours);
  EXPECT_FALSE(pair.ours);  // NOLINT(bugprone-use-after-move): that is the question
  EXPECT_EQ(moved.get(), fd);
  moved.reset();
  EXPECT_EQ(::fcntl(fd, F_GETFD), -1);
  EXPECT_EQ(errno, EBADF);
  moved.reset();
}

TEST(DescriptorDeathTest, EndsTheProgramWhenAStrangerClosedIt) {
  EXPECT_DEATH(
      {
        Pair pair;
        ::close(pair.ours.get());
        pair.ours.reset();
      },
      "");
}

TEST(Listen, OnAPortOfTheKernelsChoice) {
  std::error_code error;
  const Descriptor listener = listen_on("tcp:127.0.0.1:0", error);
  ASSERT_FALSE(error) << error.message();
  const Endpoint where = io::local_endpoint(listener, error);
  EXPECT_EQ(where.host, "127.0.0.1");
  EXPECT_NE(where.port, 0);
  EXPECT_TRUE(is_nonblocking(listener));
  EXPECT_NE(option_of(listener, SOL_SOCKET, SO_REUSEADDR), 0);
}

TEST(Listen, HasTheLargestBacklogTheKernelAllows) {
  std::error_code error;
  const Descriptor listener = listen_on("tcp:127.0.0.1:0", error);
  ASSERT_FALSE(error) << error.message();
  tcp_info info{};
  socklen_t size = sizeof info;
  ASSERT_EQ(::getsockopt(listener.get(), IPPROTO_TCP, TCP_INFO, &info, &size), 0);
  unsigned allowed = 0;
  std::ifstream{"/proc/sys/net/core/somaxconn"} >> allowed;
  EXPECT_EQ(info.tcpi_sacked, allowed);  // of a listening socket: its backlog
}

TEST(Listen, SaysThatThePortIsTaken) {
  std::error_code error;
  const Descriptor first = listen_on("tcp:127.0.0.1:0", error);
  const Endpoint taken = io::local_endpoint(first, error);
  EXPECT_FALSE(io::listen(taken, Mode::blocking, error));
  EXPECT_EQ(error, std::errc::address_in_use);
}

TEST(Connect, IsRefusedWhereNobodyListens) {
  std::error_code error;
  Descriptor listener = listen_on("tcp:127.0.0.1:0", error);
  const Endpoint where = io::local_endpoint(listener, error);
  listener.reset();
  EXPECT_FALSE(io::connect(where, Mode::blocking, error));
  EXPECT_EQ(error, std::errc::connection_refused);
}

TEST(Connect, SetsNoDelayAndTheModeAtBothEnds) {
  std::error_code error;
  const Descriptor listener = listen_on("tcp:127.0.0.1:0", error);
  const Endpoint where = io::local_endpoint(listener, error);
  const Descriptor client = io::connect(where, Mode::nonblocking, error);
  ASSERT_FALSE(error) << error.message();
  const Descriptor server = io::accept(listener.get(), Mode::blocking, error);
  ASSERT_FALSE(error) << error.message();
  EXPECT_NE(option_of(client, IPPROTO_TCP, TCP_NODELAY), 0);
  EXPECT_NE(option_of(server, IPPROTO_TCP, TCP_NODELAY), 0);
  EXPECT_TRUE(is_nonblocking(client));
  EXPECT_FALSE(is_nonblocking(server));
}

TEST(Accept, WouldBlockWhenNobodyCalls) {
  std::error_code error;
  const Descriptor listener = listen_on("tcp:127.0.0.1:0", error);
  EXPECT_FALSE(io::accept(listener.get(), Mode::blocking, error));
  EXPECT_TRUE(io::would_block(error));
}

TEST(Unix, AnAbstractNameRoundTrips) {
  std::error_code error;
  const std::string text = "unix:@yardstack-test-" + std::to_string(::getpid());
  const Descriptor listener = listen_on(text, error);
  ASSERT_FALSE(error) << error.message();
  EXPECT_EQ(io::local_endpoint(listener, error).text(), text);
  const Descriptor client = io::connect(Endpoint::parse(text, error), Mode::blocking, error);
  ASSERT_FALSE(error) << error.message();
  const Descriptor server = io::accept(listener.get(), Mode::blocking, error);
  ASSERT_FALSE(error) << error.message();
  send_all(client, "over");
  std::array<std::byte, 8> buffer{};
  EXPECT_EQ(io::read_some(server.get(), buffer).bytes, 4U);
}

TEST_F(UnixPathTest, AStalePathIsTakenOver) {
  std::error_code error;
  Descriptor first = listen_on("unix:" + path(), error);
  ASSERT_FALSE(error) << error.message();
  EXPECT_EQ(io::local_endpoint(first, error).text(), "unix:" + path());
  first.reset();
  ASSERT_TRUE(std::filesystem::is_socket(path())) << "a closed listener leaves its path";
  const Descriptor second = listen_on("unix:" + path(), error);
  EXPECT_FALSE(error) << error.message();
  EXPECT_TRUE(io::connect(Endpoint::parse("unix:" + path(), error), Mode::blocking, error));
}

TEST_F(UnixPathTest, AServedPathIsNot) {
  std::error_code error;
  const Descriptor first = listen_on("unix:" + path(), error);
  EXPECT_FALSE(listen_on("unix:" + path(), error));
  EXPECT_EQ(error, std::errc::address_in_use);
  EXPECT_TRUE(io::connect(Endpoint::parse("unix:" + path(), error), Mode::blocking, error));
}

TEST_F(UnixPathTest, AFileThatIsNoSocketIsLeftAlone) {
  std::ofstream{path()} << "precious";
  std::error_code error;
  EXPECT_FALSE(listen_on("unix:" + path(), error));
  EXPECT_EQ(error, std::errc::address_in_use);
  EXPECT_EQ(std::filesystem::file_size(path()), 8U);
}

TEST(Transfer, EndOfStreamIsZeroBytesWithoutError) {
  Pair pair;
  pair.theirs.reset();
  std::array<std::byte, 8> buffer{};
  const io::Transfer transfer = io::read_some(pair.ours.get(), buffer);
  EXPECT_EQ(transfer.bytes, 0U);
  EXPECT_FALSE(transfer.error);
}

TEST(Transfer, WritingToNobodyIsAnErrorAndNoSignal) {
  Pair pair;
  pair.theirs.reset();
  const io::Transfer transfer = io::write_some(pair.ours.get(), bytes_of("x"));
  EXPECT_EQ(transfer.error, std::errc::broken_pipe);
}

TEST(Transfer, ResetIsAnError) {
  TcpPair pair;
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ASSERT_EQ(::setsockopt(pair.theirs.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
  pair.theirs.reset();
  std::array<std::byte, 8> buffer{};
  const io::Transfer transfer = io::read_some(pair.ours.get(), buffer);
  EXPECT_EQ(transfer.error, std::errc::connection_reset);
}

std::atomic<int> interruptions;

TEST(Transfer, GoesOnAfterInterruptions) {
  Pair pair;
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGALRM);
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &blocked, nullptr), 0);  // inherited by the helper
  std::jthread helper{[&] {
    while (interruptions < 5) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    send_all(pair.theirs, "at last");
  }};
  ASSERT_EQ(::pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr), 0);
  const Alarm alarm{[](int) {
    ++interruptions;
  }};
  std::array<std::byte, 16> buffer{};
  const io::Transfer transfer = io::read_some(pair.ours.get(), buffer);
  EXPECT_FALSE(transfer.error) << transfer.error.message();
  EXPECT_EQ(transfer.bytes, 7U);
  EXPECT_GE(interruptions, 5);
}

}  // namespace
