// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>

#include "harness/contenders.hpp"
#include "tests/contract/direct.hpp"
#include "tests/contract/polled.hpp"

namespace contract {

/// How a contender's scripts are played depends on its dialect.
template <class C, harness::Dialect = C::dialect>
struct Player;
template <class C>
struct Player<C, harness::Dialect::direct> : Direct<typename C::Backend> {
  static constexpr std::string_view name = C::name;
  static typename C::Backend::Options options() { return {}; }
};
template <class C>
struct Player<C, harness::Dialect::future> : InFutures {
  static constexpr std::string_view name = C::name;
  static stackless::Options options() { return {}; }
};
template <class C>
struct Player<C, harness::Dialect::coroutine> : InCoroutines {
  static constexpr std::string_view name = C::name;
  static stackless::Options options() { return {}; }
};

template <class List>
struct PlayersOf;
template <class... C>
struct PlayersOf<std::tuple<C...>> {
  using Types = testing::Types<Player<C>...>;
};

/// Everybody has to pass.
using Contenders = PlayersOf<harness::Contenders>::Types;

/// The same scripts, with two workers to play them.
template <class C>
struct OnTwoWorkers : Player<C> {
  static constexpr unsigned workers = 2;
  static auto options() {
    auto options = Player<C>::options();
    options.workers = workers;
    return options;
  }
};

/// Fibers that change their worker whenever they may: at each yield while another is idle.
struct Migrating : Player<harness::Fibers> {
  static constexpr unsigned workers = 3;
  static stackful::Options options() { return {.workers = workers, .stealing = true}; }
};

/// For what workers could get wrong among themselves: those who can have several once more with
/// two, and fibers that are stolen.
using ContendersAndCrews =
    testing::Types<Player<harness::Threads>, Player<harness::Fibers>, Player<harness::BoostFibers>,
                   Player<harness::Futures>, Player<harness::Coroutines>,
                   OnTwoWorkers<harness::Fibers>, OnTwoWorkers<harness::Futures>,
                   OnTwoWorkers<harness::Coroutines>, Migrating>;

/// For what a task could lose on its way to another worker.
using ContendersAndMigrating =
    testing::Types<Player<harness::Threads>, Player<harness::Fibers>, Player<harness::BoostFibers>,
                   Player<harness::Futures>, Player<harness::Coroutines>, Migrating>;

struct Names {
  template <class Contender>
  static std::string GetName(int) {
    std::string name{Contender::name};
    std::replace(name.begin(), name.end(), '-', '_');  // a test filter reads '-' as "not"
    if constexpr (std::is_same_v<Contender, Migrating>) return name + "_migrating";
    if constexpr (requires { Contender::workers; }) name += "_on_two_workers";
    return name;
  }
};

/// A runtime for each case, and the contender's types under short names.
template <class C>
class Case : public testing::Test {
 public:
  using Contender = C;
  using Backend = typename C::Backend;
  using Runtime = typename Backend::Runtime;
  using Event = typename Backend::Event;
  using Stream = typename Backend::Stream;
  using Listener = typename Backend::Listener;
  using Script = contract::Script<Backend>;

  /// Tasks of this contender share one worker, so that what they do between two operations is not
  /// interrupted, and the order of their turns is the room's promise.
  static constexpr bool one_worker = Backend::mode == io::Mode::nonblocking && !requires {
    C::workers;
  };

  /// Any task of the case, or the test itself before run().
  void spawn(Script script) {
    const std::error_code error = C::spawn(runtime, std::move(script));
    EXPECT_FALSE(error) << error.message();
  }

  Runtime runtime{C::options()};
};

}  // namespace contract
