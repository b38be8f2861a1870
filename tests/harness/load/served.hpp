// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tests/harness/load/running_program.hpp"

namespace harness::load::test {

/// yardstack-serve, and what its first line says.
struct Served {
  explicit Served(const std::string& backend, const std::string& transport = "tcp")
      : program{{"yardstack-serve", "--backend=" + backend, "--transport=" + transport}} {
    std::istringstream line{program.first_line()};
    std::string listening, process;
    line >> listening >> address >> process >> pid;
    EXPECT_EQ(listening + process, "listeningprocess") << program.err();
  }

  RunningProgram program;
  std::string address;
  pid_t pid = 0;
};

inline std::vector<std::string> load_of(const Served& served, std::vector<std::string> more = {},
                                        const std::string& seconds = "0.2") {
  std::vector<std::string> arguments{"yardstack-load",
                                     "--target",
                                     served.address,
                                     "--connections",
                                     "8",
                                     "--warm-up",
                                     "0",
                                     "--seconds",
                                     seconds,
                                     "--target-pid",
                                     std::to_string(served.pid)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// A load that goes on and on, and is well under way.
struct EndlessLoad : RunningProgram {
  explicit EndlessLoad(const Served& served, std::vector<std::string> more = {})
      : RunningProgram{load_of(served, std::move(more), "600")} {
    EXPECT_TRUE(works_for(std::chrono::milliseconds{50})) << err();
  }
};

/// The value of a counter in a row of Google Benchmark's JSON; NaN where there is none.
inline double counter(const std::string& json, const std::string& name) {
  const std::string key = "\"" + name + "\": ";
  const std::size_t at = json.find(key);
  return at == json.npos ? std::nan("") : std::strtod(json.c_str() + at + key.size(), nullptr);
}

}  // namespace harness::load::test
