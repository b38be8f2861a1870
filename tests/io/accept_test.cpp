// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "tests/io/source_fixture.hpp"

namespace {

using io::Descriptor;
using io::Mode;
using io::Source;

class AcceptTest : public SourceTest {
 protected:
  AcceptTest() {
    std::error_code error;
    Descriptor socket = io::listen({.host = "127.0.0.1"}, Mode::nonblocking, error);
    EXPECT_FALSE(error) << error.message();
    where = io::local_endpoint(socket, error);
    listener = source_of(std::move(socket));
  }

  Descriptor call() {
    std::error_code error;
    Descriptor caller = io::connect(where, Mode::blocking, error);
    EXPECT_FALSE(error) << error.message();
    return caller;
  }

  io::Endpoint where;
  std::unique_ptr<Source> listener;
};

TEST_F(AcceptTest, TakesAllThatCameWithOneEvent) {
  std::array<Descriptor, 3> callers;
  for (Descriptor& caller : callers) caller = call();
  std::error_code error;
  EXPECT_FALSE(listener->try_accept(Mode::nonblocking, error));  // before the first event
  reactor.turn(look);
  std::vector<Descriptor> taken;
  while (auto connection = listener->try_accept(Mode::nonblocking, error)) {
    ASSERT_FALSE(error) << error.message();
    taken.push_back(std::move(*connection));
  }
  EXPECT_FALSE(error) << error.message();
  EXPECT_EQ(taken.size(), callers.size());
  EXPECT_FALSE(listener->readable());
}

/// Leaves this process no free descriptor for as long as it lives.
class NoDescriptors {
 public:
  NoDescriptors() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const Descriptor lowest_free{::dup(0)};
    const rlimit none{.rlim_cur = static_cast<rlim_t>(lowest_free.get()),
                      .rlim_max = before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoDescriptors() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
};

TEST_F(AcceptTest, AtTheDescriptorLimitTellsTheErrorAndRecovers) {
  const Descriptor caller = call();
  reactor.turn(look);
  std::error_code error;
  {
    const NoDescriptors limit;
    const auto refused = listener->try_accept(Mode::nonblocking, error);
    ASSERT_TRUE(refused) << "not ready would mean to wait for an event that does not come";
    EXPECT_FALSE(*refused);
    EXPECT_EQ(error, std::errc::too_many_files_open);
    EXPECT_TRUE(listener->readable());
    EXPECT_EQ(reactor.turn(look), 0U) << "edge-triggered: the limit makes no events to spin on";
  }
  const auto accepted = listener->try_accept(Mode::nonblocking, error);
  ASSERT_TRUE(accepted);
  EXPECT_TRUE(*accepted);
  EXPECT_FALSE(error) << error.message();
}

}  // namespace
