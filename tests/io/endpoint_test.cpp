// SPDX-License-Identifier: BSL-1.0
#include "io/endpoint.hpp"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace {

using io::Endpoint;

class GoodEndpoint : public testing::TestWithParam<std::string_view> {};

TEST_P(GoodEndpoint, RoundTrips) {
  std::error_code error;
  const Endpoint endpoint = Endpoint::parse(GetParam(), error);
  EXPECT_FALSE(error) << error.message();
  EXPECT_EQ(endpoint.text(), GetParam());
}

TEST_P(GoodEndpoint, RoundTripsThroughTheKernelsForm) {
  std::error_code error;
  const io::Address address = io::Address::of(Endpoint::parse(GetParam(), error), error);
  EXPECT_FALSE(error) << error.message();
  EXPECT_EQ(address.endpoint().text(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Forms, GoodEndpoint,
                         testing::Values("tcp:127.0.0.1:5000", "tcp:0.0.0.0:0",
                                         "tcp:127.0.0.9:65535", "unix:/tmp/socket",
                                         "unix:@yardstack", "unix:/with:colon"));

class BadEndpoint : public testing::TestWithParam<std::string> {};

TEST_P(BadEndpoint, IsAnInvalidArgument) {
  std::error_code error;
  const Endpoint endpoint = Endpoint::parse(GetParam(), error);
  EXPECT_EQ(error, std::errc::invalid_argument);
  EXPECT_TRUE(endpoint.host.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Forms, BadEndpoint,
    testing::Values("", "tcp", "tcp:", "tcp:127.0.0.1", "tcp::80", "tcp:localhost:80",
                    "tcp:127.0.0.1:", "tcp:127.0.0.1:x", "tcp:127.0.0.1:80x", "tcp:127.0.0.1:-1",
                    "tcp:127.0.0.1:65536", "tcp:127.0.0.1:+80", "tcp:256.0.0.1:80", "udp:1.1.1.1:1",
                    "127.0.0.1:80", "unix:", "unix:@", "unix:/", "unix:relative",
                    "unix:/" + std::string(200, 'x'), std::string{"unix:/a\0b", 9}));

TEST(Address, OfAnEndpointMadeByHandIsChecked) {
  std::error_code error;
  static_cast<void>(io::Address::of({.host = "nonsense"}, error));
  EXPECT_EQ(error, std::errc::invalid_argument);
  const Endpoint too_long{.transport = Endpoint::Transport::unix_domain,
                          .host = std::string(200, '/')};
  static_cast<void>(io::Address::of(too_long, error));
  EXPECT_EQ(error, std::errc::filename_too_long);
  static_cast<void>(io::Address::of({.transport = Endpoint::Transport::unix_domain}, error));
  EXPECT_EQ(error, std::errc::invalid_argument);
}

}  // namespace
