// SPDX-License-Identifier: BSL-1.0
#include "harness/load/address.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/harness/load/hostile_server.hpp"

namespace harness::load {
namespace {

using namespace std::chrono_literals;

TEST(Address, ReadsWhatPeopleWrite) {
  for (const auto& [written, read] :
       {std::pair{"127.0.0.1:80", "tcp:127.0.0.1:80"},
        std::pair{"tcp:10.1.2.3:65535", "tcp:10.1.2.3:65535"},
        std::pair{"unix:/tmp/socket", "unix:/tmp/socket"}, std::pair{"unix:@name", "unix:@name"}}) {
    std::error_code error;
    EXPECT_EQ(Address::parse(written, error).text(), read);
    EXPECT_FALSE(error) << written;
  }
}

TEST(Address, RefusesEverythingElse) {
  const std::string too_long = "unix:/" + std::string(200, 'x');
  for (const std::string& text :
       {std::string{""}, std::string{"127.0.0.1"}, std::string{"127.0.0.1:"}, std::string{":80"},
        std::string{"127.0.0.1:0"}, std::string{"127.0.0.1:65536"}, std::string{"127.0.0.1:8x"},
        std::string{"300.0.0.1:80"}, std::string{"example.org:80"}, std::string{"unix:"},
        std::string{"udp:127.0.0.1:80"}, too_long}) {
    std::error_code error;
    Address::parse(text, error);
    EXPECT_EQ(error, std::errc::invalid_argument) << text;
  }
}

TEST(Address, KnowsTheLoopback) {
  std::error_code error;
  EXPECT_TRUE(Address::parse("127.9.9.9:80", error).loopback());
  EXPECT_FALSE(Address::parse("10.0.0.1:80", error).loopback());
  EXPECT_FALSE(Address::parse("unix:@name", error).loopback());
}

TEST(Address, LeavesFromTheSourceAskedFor) {
  test::HostileServer server{test::echo(1)};
  std::error_code error;
  const Address address = Address::parse(server.address(), error);
  for (const unsigned source : {0u, 1u, 5u, 250u}) {
    const Handle handle = address.connect(source, 10s, error);
    ASSERT_FALSE(error) << error.message();
    std::byte byte{42};
    ASSERT_TRUE(test::send(handle.get(), {&byte, 1}));
    while (::read(handle.get(), &byte, 1) != 1) usleep(100);  // it does not block; served: recorded
  }
  EXPECT_EQ(server.visitors(),
            (std::vector<std::string>{"127.0.0.1", "127.0.0.1", "127.0.0.5", "127.0.0.250"}));
}

TEST(Address, NobodyThereIsAnError) {
  std::error_code error;
  std::string address;
  { address = test::HostileServer{test::echo(1)}.address(); }
  EXPECT_FALSE(Address::parse(address, error).connect(0, 1s, error));
  EXPECT_EQ(error, std::errc::connection_refused);
  EXPECT_FALSE(Address::parse("unix:@yardstack-nobody", error).connect(0, 1s, error));
  EXPECT_EQ(error, std::errc::connection_refused);
}

}  // namespace
}  // namespace harness::load
