// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <deque>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "io/counters.hpp"
#include "tests/contract/echo.hpp"

namespace contract {
namespace {

/// Lets the process open just so many more descriptors, until it goes out of scope.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(std::size_t more) {
    std::vector<io::Descriptor> taken;
    for (std::size_t i = 0; i < more; ++i) {
      taken.emplace_back(::dup(STDERR_FILENO));
    }
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    set({.rlim_cur = static_cast<rlim_t>(taken.back().get()) + 1, .rlim_max = before_.rlim_max});
  }
  ~DescriptorLimit() { set(before_); }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;

 private:
  static void set(const rlimit& limit) { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0); }
  rlimit before_{};
};

io::Duration cpu_used() {
  timespec used{};
  EXPECT_EQ(::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used), 0);
  return std::chrono::seconds{used.tv_sec} + std::chrono::nanoseconds{used.tv_nsec};
}

std::uint64_t calls(io::SystemCall kind) {
  return io::system_calls()[kind];
}

constexpr auto watched = std::chrono::milliseconds{300};

template <class C>
struct Limits : EchoCase<C> {};
TYPED_TEST_SUITE(Limits, Contenders, Names);

TYPED_TEST(Limits, AcceptAtTheDescriptorLimitDoesNotSpinAndRecovers) {
  constexpr std::size_t room = 5;
  constexpr std::size_t connections = 12;
  io::Descriptor listener = this->listen();
  std::deque<Peer> peers;
  for (std::size_t i = 0; i < connections; ++i) {
    peers.emplace_back(this->where);
  }
  const std::uint64_t before = calls(io::SystemCall::accept);
  const DescriptorLimit limit{room};
  this->serve(std::move(listener), connections);
  this->against([&] {
    eventually([&] { return this->refusals >= 3; });
    EXPECT_EQ(this->accepted, room);
    while (!peers.empty()) {  // each that leaves makes room for one that waits
      EXPECT_EQ(peers.front().exchange(pattern(64)), pattern(64));
      peers.pop_front();
    }
  });
  EXPECT_EQ(this->ended, connections);
  // One call a connection and a refusal, and one that finds nobody there after each.
  EXPECT_LE(calls(io::SystemCall::accept) - before, 2 * (connections + this->refusals));
}

// Waiting costs nothing: the bound is far above what a machine's noise adds, and far below what
// anything that looks again and again would burn.
TYPED_TEST(Limits, IdleMeansNoCpu) {
  constexpr std::size_t connections = 50;
  typename TestFixture::Event event{this->runtime};
  this->spawn([](auto& waited_for) -> typename TestFixture::Script {
    co_await Wait{waited_for};
  }(event));
  this->spawn([]() -> typename TestFixture::Script {
    co_await Sleep{io::Clock::now() + 2 * watched};
  }());
  this->serve(this->listen(), connections);
  this->against([&] {
    std::deque<Peer> peers;
    for (std::size_t i = 0; i < connections; ++i) {
      peers.emplace_back(this->where);
    }
    EXPECT_EQ(peers.back().exchange(pattern(64)), pattern(64));
    eventually([&] { return this->accepted == connections; });
    const io::Duration before = cpu_used();
    std::this_thread::sleep_for(watched);
    EXPECT_LT(cpu_used() - before, watched / 5);
    event.set();
  });
}

TYPED_TEST(Limits, AnEchoIsOneReadAndOneWrite) {
  constexpr std::uint64_t messages = 200;
  constexpr std::uint64_t registrations = TestFixture::one_worker ? 1 : 0;
  for (const auto transport : this->transports) {
    this->accepted = 0;
    io::Descriptor listener = this->listen(transport);
    const io::SystemCalls before = io::system_calls();  // a thread accepts as soon as it is there
    this->serve(std::move(listener), 1);
    this->against([&] {
      Peer peer{this->where};
      for (std::uint64_t i = 0; i < messages; ++i) {
        EXPECT_EQ(peer.exchange(pattern(64)), pattern(64));
      }
      const io::SystemCalls made = io::system_calls() - before;
      EXPECT_EQ(made[io::SystemCall::write], messages);
      // A thread is back in its next read already, or is not.
      EXPECT_GE(made[io::SystemCall::read], messages);
      EXPECT_LE(made[io::SystemCall::read], messages + (TestFixture::one_worker ? 0 : 1));
    });
    const io::SystemCalls made = io::system_calls() - before;
    EXPECT_EQ(made[io::SystemCall::read], messages + 1) << "the last one finds the end";
    EXPECT_EQ(made[io::SystemCall::accept], 1U);
    // The connection and the listener register once each, and take it back once each.
    EXPECT_EQ(made[io::SystemCall::registration], 4 * registrations);
  }
}

}  // namespace
}  // namespace contract
