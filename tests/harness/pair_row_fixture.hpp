// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

#include "harness/pair_row.hpp"

namespace harness {

/// A pair in which nothing went wrong.
inline PairFigures clean() {
  PairFigures figures;
  for (const std::string prefix : {"", "floor_"}) {
    figures.clients[prefix + "operations"] = {10'000};
    figures.clients[prefix + "ops_per_s"] = {50'000};
    figures.clients[prefix + "server_cpu_ns_per_op"] = {prefix.empty() ? 8'400.0 : 8'000.0};
    figures.clients[prefix + "errors"] = {0};
    for (const char* name : {"p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns"}) {
      figures.clients[prefix + name] = {1'000'000};
    }
  }
  figures.clients["client_cpu_share"] = {0.5};
  figures.clients["cpu_ratios"] = std::vector<double>(20, 1.05);
  figures.server = {{"reads", {10'000}}, {"writes", {10'000}},    {"waits", {500}},
                    {"wakes", {0}},      {"registrations", {64}}, {"connections", {64}},
                    {"allocations", {0}}};
  figures.floor = {{"reads", {10'000}},
                   {"writes", {10'000}},
                   {"waits", {1'000}},
                   {"registrations", {64}},
                   {"connections", {64}}};
  return figures;
}

inline load::Plan closed_loop() {
  return {};
}

inline load::Plan open_loop() {
  load::Plan plan;
  plan.rate = 1'000;
  return plan;
}

}  // namespace harness
