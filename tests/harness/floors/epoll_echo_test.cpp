// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/epoll_echo.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <string>
#include <sys/socket.h>
#include <sys/time.h>
#include <thread>
#include <vector>

#include "io/socket.hpp"

namespace {

using Bytes = std::vector<std::byte>;

/// The floor's server in a thread, and the parent's end of its port.
class Conversation {
 public:
  explicit Conversation(const std::string& transport) {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    parent_ = io::Descriptor{ends[0]};
    child_ = io::Descriptor{ends[1]};
    server_ = std::thread{[this, transport] {
      harness::Port port{child_.get(), std::chrono::nanoseconds{0}};
      const auto cell = harness::Cell::parse("echo/floor-epoll/transport:" + transport);
      harness::floors::epoll_echo().run(port, *cell);
      shutdown(child_.get(), SHUT_RDWR);
    }};
    EXPECT_EQ(line(), "mark idle 0");
    std::error_code error;
    const std::string listening = line();
    where_ = io::Endpoint::parse(listening.substr(listening.find(' ') + 1), error);
    EXPECT_FALSE(error) << listening;
  }
  ~Conversation() {
    if (server_.joinable()) stop();
  }

  io::Descriptor connect() const {
    std::error_code error;
    io::Descriptor client = io::connect(where_, io::Mode::blocking, error);
    EXPECT_FALSE(error) << error.message();
    const timeval patience{10, 0};  // a hang guard
    EXPECT_EQ(setsockopt(client.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    return client;
  }
  void go() { EXPECT_EQ(send(parent_.get(), "g", 1, 0), 1); }
  std::string line() {
    std::string text;
    char next = 0;
    while (recv(parent_.get(), &next, 1, 0) == 1 && next != '\n') text += next;
    return text;
  }
  /// What the server has counted between the first *go* and the second.
  std::map<std::string, double> results() {
    std::map<std::string, double> all;
    for (std::string text = line(); text.starts_with("result "); text = line()) {
      const auto space = text.rfind(' ');
      all[text.substr(7, space - 7)] = std::strtod(text.c_str() + space, nullptr);
    }
    return all;
  }
  /// The end of the port: the server ends as well.
  void stop() {
    shutdown(parent_.get(), SHUT_WR);
    server_.join();
  }

 private:
  io::Descriptor parent_;
  io::Descriptor child_;
  io::Endpoint where_;
  std::thread server_;
};

Bytes pattern(std::size_t bytes, unsigned seed) {
  Bytes made(bytes);
  std::uint32_t state = seed;
  for (auto& byte : made) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::byte>(state >> 24);
  }
  return made;
}

void send_all(const io::Descriptor& to, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const io::Transfer transfer = io::write_some(to.get(), bytes);
    ASSERT_FALSE(transfer.error) << transfer.error.message();
    bytes = bytes.subspan(transfer.bytes);
  }
}

Bytes receive(const io::Descriptor& from, std::size_t bytes) {
  Bytes all(bytes);
  std::size_t filled = 0;
  while (filled < bytes) {
    const io::Transfer transfer = io::read_some(from.get(), std::span{all}.subspan(filled));
    EXPECT_FALSE(transfer.error) << transfer.error.message();
    if (transfer.error || transfer.bytes == 0) break;
    filled += transfer.bytes;
  }
  all.resize(filled);
  return all;
}

class EpollEcho : public testing::TestWithParam<const char*> {};

TEST_P(EpollEcho, AMessageIsOneReadOneWriteAndNoRegistration) {
  constexpr unsigned messages = 200;
  Conversation conversation{GetParam()};
  std::vector<io::Descriptor> clients;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(conversation.connect());
    const Bytes hello = pattern(10, 1);
    send_all(clients.back(), hello);
    ASSERT_EQ(receive(clients.back(), hello.size()), hello);
  }
  conversation.go();
  EXPECT_EQ(conversation.line(), "mark measuring 5");
  for (unsigned message = 0; message < messages; ++message) {
    const Bytes sent = pattern(64, message);
    const auto& client = clients[message % clients.size()];
    send_all(client, sent);
    ASSERT_EQ(receive(client, sent.size()), sent);
  }
  conversation.go();
  const auto results = conversation.results();
  EXPECT_EQ(results.at("reads"), messages);
  EXPECT_EQ(results.at("writes"), messages);
  EXPECT_EQ(results.at("registrations"), 5);
  EXPECT_EQ(results.at("connections"), 5);
  // A Unix-domain peer that reads makes room, and that is an event as well.
  EXPECT_LE(results.at("waits"), 2 * messages + 2);
}

TEST_P(EpollEcho, StreamsMessagesThatNoBufferHoldsPastAReaderWhoWaits) {
  Conversation conversation{GetParam()};
  const io::Descriptor client = conversation.connect();
  const Bytes sent = pattern(8'000'000, 7);
  std::thread writer{[&] {
    send_all(client, sent);
  }};
  // Nobody reads until every buffer on the way is full, or that is what it looks like.
  std::this_thread::sleep_for(std::chrono::milliseconds{50});
  const Bytes received = receive(client, sent.size());
  writer.join();
  EXPECT_EQ(received, sent);
}

TEST_P(EpollEcho, AnswersWhatCameBeforeTheEndAndThenEnds) {
  Conversation conversation{GetParam()};
  const io::Descriptor client = conversation.connect();
  const Bytes sent = pattern(100'000, 3);
  std::thread writer{[&] {
    send_all(client, sent);
    shutdown(client.get(), SHUT_WR);
  }};
  EXPECT_EQ(receive(client, sent.size() + 1), sent);
  writer.join();
}

TEST_P(EpollEcho, OutlivesPeersThatResetOrLeaveWithoutReading) {
  Conversation conversation{GetParam()};
  for (int i = 0; i < 20; ++i) {
    const io::Descriptor rude = conversation.connect();
    const linger at_once{1, 0};
    ASSERT_EQ(setsockopt(rude.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    send_all(rude, pattern(50'000, 5));
  }
  const io::Descriptor polite = conversation.connect();
  const Bytes sent = pattern(5000, 9);
  send_all(polite, sent);
  EXPECT_EQ(receive(polite, sent.size()), sent);
}

TEST_P(EpollEcho, EndsWithThePortThoughClientsStay) {
  Conversation conversation{GetParam()};
  const io::Descriptor idle = conversation.connect();
  const Bytes hello = pattern(10, 1);
  send_all(idle, hello);
  ASSERT_EQ(receive(idle, hello.size()), hello);
  conversation.stop();
  EXPECT_TRUE(receive(idle, 1).empty());
}

INSTANTIATE_TEST_SUITE_P(Transports, EpollEcho, testing::Values("tcp", "unix"),
                         [](const auto& of) { return std::string{of.param}; });

}  // namespace
