// SPDX-License-Identifier: BSL-1.0
#include "harness/lateness.hpp"

#include <fmt/format.h>

namespace harness {

namespace {

constexpr std::string_view whole = "lateness_histogram";

}  // namespace

void report_lateness(Port& port, const Histogram& lateness) {
  if (lateness.count() == 0) return;
  const auto send = [&](std::string_view name, std::uint64_t ns) {
    port.result(fmt::format("lateness_{}_ns", name), static_cast<double>(ns));
  };
  send("p50", lateness.percentile(50));
  send("p90", lateness.percentile(90));
  send("p99", lateness.percentile(99));
  send("p999", lateness.percentile(99.9));
  send("max", lateness.max());
  port.result(whole, lateness.flatten());
}

Histogram take_lateness(Results& results) {
  const auto found = results.find(whole);
  if (found == results.end()) return {};
  Histogram lateness = Histogram::unflatten(found->second);
  results.erase(found);
  return lateness;
}

}  // namespace harness
