// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "harness/program.hpp"
#include "tests/harness/port_reader.hpp"

/// Runs the subject of a row in this process; counter to the first value it has sent. A failure
/// fails the test.
inline std::map<std::string, double> run_cell(const harness::Program& program,
                                              const std::string& name) {
  const auto cell = harness::Cell::parse(name);
  EXPECT_TRUE(cell) << name;
  const auto subject =
      std::ranges::find(program.subjects, cell->contender, &harness::Subject::contender);
  EXPECT_NE(subject, program.subjects.end()) << name;
  PortReader reader{std::chrono::milliseconds{5}};
  subject->run(reader.port, *cell);
  EXPECT_EQ(reader.failure(), "") << name;
  return reader.results();
}
