// SPDX-License-Identifier: BSL-1.0
#include "harness/subject.hpp"

#include <gtest/gtest.h>

#include "tests/harness/port_reader.hpp"

namespace harness {
namespace {

TEST(Port, SaysThatAnotherProgramCouldNotBeStarted) {
  PortReader reader;
  reader.port.continue_as("/nowhere/at-all", *Cell::parse("stacks/split-stack/call:near"));
  ASSERT_EQ(reader.lines().size(), 1U);
  EXPECT_EQ(reader.lines().front(), "failure failed: /nowhere/at-all: No such file or directory");
}

}  // namespace
}  // namespace harness
