// SPDX-License-Identifier: BSL-1.0
#include "harness/lateness.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <system_error>
#include <vector>

#include "harness/json.hpp"

namespace harness {

namespace {

// A result is a list of numbers: each bucket's edges and count, then the exact figures.
constexpr std::string_view whole = "lateness_histogram";

std::vector<double> flatten(const Histogram& histogram) {
  std::vector<double> flat;
  const auto add = [&flat](std::uint64_t number) {
    flat.push_back(static_cast<double>(number));
  };
  for (const auto& bucket : histogram.buckets()) {
    add(bucket.lower);
    add(bucket.upper);
    add(bucket.count);
  }
  add(histogram.min());
  add(histogram.max());
  flat.push_back(histogram.mean());
  return flat;
}

Histogram restore(const std::vector<double>& flat) {
  const auto at = [&flat](std::size_t place) {
    return static_cast<std::uint64_t>(flat.at(place));
  };
  std::vector<Histogram::Bucket> buckets;
  std::size_t place = 0;
  for (; place + 3 < flat.size(); place += 3) {
    buckets.push_back({at(place), at(place + 1), at(place + 2)});
  }
  return Histogram::restore(buckets, at(place), at(place + 1), flat.at(place + 2));
}

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
  port.result(whole, flatten(lateness));
}

void keep_lateness(Results& results, const Cell& cell, const Options& options) {
  const auto found = results.find(whole);
  if (found == results.end()) return;
  const std::vector<double> flat = std::move(found->second);
  results.erase(found);
  if (!options.histograms) return;
  const Histogram histogram = restore(flat);
  std::string file = cell.name();
  std::replace(file.begin(), file.end(), '/', '_');
  const auto path = *options.histograms / (file + ".json");
  if (const auto error = write_json(path, {{"row", cell.name()}, {"lateness_ns", &histogram}})) {
    throw std::system_error{error, path.string()};
  }
}

}  // namespace harness
