// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <cstdlib>

namespace stackless::test {

/// How often a test of races between threads wakes somebody up: a million times; a hundred million
/// times in the long form, which `scripts/test --all` asks for by YARDSTACK_LONG_TESTS.
inline std::uint64_t stress_wakes() {
  return std::getenv("YARDSTACK_LONG_TESTS") != nullptr ? 100'000'000 : 1'000'000;
}

}  // namespace stackless::test
