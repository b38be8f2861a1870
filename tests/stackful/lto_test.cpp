// SPDX-License-Identifier: BSL-1.0
#include <gtest/gtest.h>

namespace {

TEST(LinkTimeOptimisation, IsInThisProgram) {
  if (YARDSTACK_LINK_TIME_OPTIMISATION == 0) {
    GTEST_SKIP() << "this compiler and linker cannot optimise at link time";
  }
}

}  // namespace
