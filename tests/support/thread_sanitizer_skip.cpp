// SPDX-License-Identifier: BSL-1.0
// Part of every test program built with ThreadSanitizer: skips, aloud, what runs Boost.Fiber.
#include <gtest/gtest.h>
#include <string>

namespace {

class BoostFiberIsSkipped : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& test) override {
    const std::string suite = test.test_suite_name();
    const bool concerned = suite.find("BoostFiber") != std::string::npos ||
                           suite.find("boost_fibers") != std::string::npos;
    if (!concerned) return;
    GTEST_SKIP() << "ThreadSanitizer loses track of threads inside the prebuilt Boost.Fiber";
  }
};

[[maybe_unused]] const bool registered = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new BoostFiberIsSkipped);
  return true;
}();

}  // namespace
