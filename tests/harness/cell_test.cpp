// SPDX-License-Identifier: BSL-1.0
#include "harness/cell.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

namespace harness {
namespace {

TEST(Cell, NamesOfRowsGoThereAndBack) {
  for (const auto* name : {"switch/fibers/tasks:2/via:yield", "switch/floor-inline",
                           "memory/threads/state:sleeping/tasks:10000",
                           "echo/boost-fibers/transport:unix/connections:64/bytes:64/rate:0.5"}) {
    const auto cell = Cell::parse(name);
    ASSERT_TRUE(cell) << name;
    EXPECT_EQ(cell->name(), name);
    EXPECT_EQ(Cell::parse(cell->name()), cell);
  }
}

TEST(Cell, HasOneNameHoweverItsNumbersAreWritten) {
  const auto cell = Cell::parse("echo/fibers/connections:064/rate:000/host:127.0.0.01/via:0x1");
  ASSERT_TRUE(cell);
  EXPECT_EQ(cell->name(), "echo/fibers/connections:64/rate:0/host:127.0.0.01/via:0x1");
  EXPECT_FALSE(Cell::parse("switch/fibers/tasks:2/tasks:02"));
  const std::string no_number = "018446744073709551616";
  EXPECT_EQ(canonical(no_number), no_number);
}

TEST(Cell, TellsItsParameters) {
  const auto cell = Cell::parse("switch/fibers/tasks:30000/via:yield");
  ASSERT_TRUE(cell);
  EXPECT_EQ(cell->question, "switch");
  EXPECT_EQ(cell->contender, "fibers");
  EXPECT_EQ(cell->number("tasks"), 30'000U);
  EXPECT_EQ(cell->text("via"), "yield");
  EXPECT_EQ(cell->text("cpus", "1"), "1");
  EXPECT_EQ(cell->number("cpus", 1), 1U);
  EXPECT_TRUE(cell->has("via"));
  EXPECT_FALSE(cell->has("cpus"));
  EXPECT_EQ(cell->with("cpus", "2").name(), "switch/fibers/tasks:30000/via:yield/cpus:2");
}

TEST(Cell, RefusesWhatIsNoName) {
  for (const auto* name : {"", "switch", "switch/", "/fibers", "switch//tasks:2", "switch/fibers/",
                           "switch/fibers/tasks", "switch/fibers/tasks:", "switch/fibers/:2",
                           "switch/fibers/tasks:2:3", "switch/fibers/tasks:2/tasks:3",
                           "switch/fib ers", "switch/fibers\n", "switch/fibers//"}) {
    EXPECT_FALSE(Cell::parse(name)) << name;
  }
}

TEST(Cell, NamesTheKeyOfAValueThatIsNoNumber) {
  for (const auto* value : {"many", "2x", "-1", "1.5", "18446744073709551616"}) {
    const Cell cell{"switch", "fibers", {{"tasks", value}}};
    try {
      (void)cell.number("tasks");
      ADD_FAILURE() << value;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string{error.what()}.find("tasks:"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace harness
