// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <gtest/gtest.h>
#include <string>
#include <system_error>
#include <utility>

#include "stackful/backend.hpp"
#include "stackful/boost_fiber/backend.hpp"
#include "tests/contract/direct.hpp"
#include "threads/backend.hpp"

namespace contract {

struct Threads : Direct<threads::Backend> {
  static constexpr const char* name = "threads";
};
struct Fibers : Direct<stackful::Backend> {
  static constexpr const char* name = "fibers";
};
struct BoostFibers : Direct<stackful::boost_fiber::Backend> {
  static constexpr const char* name = "boost_fibers";
};

/// Everybody who has to pass.
using Contenders = testing::Types<Threads, Fibers, BoostFibers>;

struct Names {
  template <class Contender>
  static std::string GetName(int) {
    return Contender::name;
  }
};

/// Tasks that have not ended.
std::size_t live_tasks(const auto& runtime) {
  if constexpr (requires { runtime.live_tasks(); }) {
    return runtime.live_tasks();
  } else {
    return runtime.alive();
  }
}

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
  static constexpr bool one_worker = Backend::mode == io::Mode::nonblocking;

  /// Any task of the case, or the test itself before run().
  void spawn(Script script) {
    const std::error_code error = C::spawn(runtime, std::move(script));
    EXPECT_FALSE(error) << error.message();
  }

  Runtime runtime{typename Backend::Options{}};
};

}  // namespace contract
