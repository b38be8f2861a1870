// SPDX-License-Identifier: BSL-1.0
#include "harness/load/backlog.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <vector>

#include "io/socket.hpp"

namespace harness::load {
namespace {

TEST(Backlog, FindsTheCountersByTheirNames) {
  constexpr auto text =
      "TcpExt: SyncookiesSent ListenOverflows ListenDrops TCPTimeouts\n"
      "TcpExt: 7 3 5 9\n"
      "IpExt: InNoRoutes\n"
      "IpExt: 1\n";
  EXPECT_EQ(turned_away(text), 5U) << "an overflow is a drop, too";
  EXPECT_EQ(turned_away("TcpExt: ListenOverflows\nTcpExt: 3\n"), std::nullopt);
  EXPECT_EQ(turned_away("TcpExt: SyncookiesSent\nTcpExt: 7\n"), std::nullopt);
  EXPECT_EQ(turned_away(""), std::nullopt);
}

TEST(Backlog, TellsOfAListenerThatIsFull) {
  const auto before = turned_away();
  if (!before) GTEST_SKIP() << "this kernel does not tell";
  const io::Descriptor listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* const where = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(listener.get(), where, length), 0);
  ASSERT_EQ(::getsockname(listener.get(), where, &length), 0);
  ASSERT_EQ(::listen(listener.get(), 0), 0);
  std::vector<io::Descriptor> clients;
  for (int client = 0; client != 8; ++client) {
    clients.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    (void)::connect(clients.back().get(), where, length);  // in progress, or through
  }
  EXPECT_GT(turned_away(), before);
}

}  // namespace
}  // namespace harness::load
