// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <gtest/gtest.h>
#include <mutex>

#include "stackless/channel.hpp"
#include "stackless/notify.hpp"
#include "stackless/semaphore.hpp"
#include "tests/stackless/probe.hpp"

namespace stackless {

/// The same for the plain kind and the one with a lock.
template <class Lock>
struct Sync : testing::Test {
  using Semaphore = BasicSemaphore<Lock>;
  using Notify = BasicNotify<Lock>;
  template <class T>
  using Channel = BasicChannel<T, Lock>;

  test::Probe one;
  test::Probe two;
  test::Probe three;
};
using Locks = testing::Types<NoLock, std::mutex>;

}  // namespace stackless
