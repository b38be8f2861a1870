// SPDX-License-Identifier: BSL-1.0
#include <gtest/gtest.h>

namespace {

/// Skips every case of this program under ThreadSanitizer, and says why.
class WithoutThreadSanitizer : public testing::Environment {
  void SetUp() override {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "ThreadSanitizer loses track of the threads inside the prebuilt Boost.Fiber";
#endif
  }
};

[[maybe_unused]] const auto* const environment =
    testing::AddGlobalTestEnvironment(new WithoutThreadSanitizer);

}  // namespace
