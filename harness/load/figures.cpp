// SPDX-License-Identifier: BSL-1.0
#include <fmt/format.h>

#include "harness/load/measurement.hpp"

namespace harness::load {
namespace {

using Figures = std::vector<std::pair<std::string, std::vector<double>>>;

constexpr std::uint64_t ms = 1'000'000;

void add_side(Figures& figures, const std::string& prefix, const Plan& plan, const Side& side) {
  const Tally& tally = side.tally();
  const auto add = [&](std::string_view name, auto value) {
    figures.emplace_back(prefix + std::string{name}, std::vector{static_cast<double>(value)});
  };
  const double seconds = std::chrono::duration<double>{tally.elapsed}.count();
  add("operations", tally.operations);
  add("ops_per_s", static_cast<double>(tally.operations) / seconds);
  if (const auto cpu = side.server_cpu(); cpu && tally.operations > 0) {
    add("server_cpu_ns_per_op",
        static_cast<double>(cpu->count()) / static_cast<double>(tally.operations));
  }
  if (const auto share = side.cpu_between_slices()) add("cpu_between_slices", *share);
  add("p50_ns", tally.latency.percentile(50));
  add("p90_ns", tally.latency.percentile(90));
  add("p99_ns", tally.latency.percentile(99));
  add("p999_ns", tally.latency.percentile(99.9));
  add("max_ns", tally.latency.max());
  add("mean_ns", tally.latency.mean());
  add("min_ns", tally.latency.min());
  add("errors", side.errors().total());
  for (std::size_t kind = 0; kind != error_names.size(); ++kind) {
    if (const std::uint64_t count = side.errors().of[kind]; count > 0) {
      add(fmt::format("errors_{}", error_names[kind]), count);
    }
  }
  add("client_cpu_share", side.own_cpu_share());
  add("delayed_ack_plateau", has_delayed_ack_plateau(tally.latency) ? 1 : 0);
  if (plan.rate > 0) {
    add("offered_ops_per_s", plan.rate);
    add("unanswered", tally.planned - tally.operations);
    add("achieved_share",
        static_cast<double>(tally.operations) / static_cast<double>(tally.planned));
    add("overtime_share", std::chrono::duration<double>{tally.elapsed} / tally.scheduled - 1);
    add("lag_p99_ns", tally.lag.percentile(99));
    add("lag_max_ns", tally.lag.max());
  }
  figures.emplace_back(prefix + "latency_histogram", tally.latency.flatten());
}

}  // namespace

bool has_delayed_ack_plateau(const Histogram& latency_ns) {
  const std::uint64_t plateau = latency_ns.count_between(39 * ms, 47 * ms);
  const std::uint64_t around =
      latency_ns.count_between(30 * ms, 38 * ms) + latency_ns.count_between(48 * ms, 56 * ms);
  return plateau >= 10 && plateau * 1'000 >= latency_ns.count() && plateau > 4 * around;
}

Figures figures(const Measurement& measurement) {
  Figures all;
  for (const auto& side : measurement.sides()) {
    add_side(all, all.empty() ? "" : "floor_", measurement.plan(), *side);
  }
  if (const auto turned_away = measurement.turned_away()) {
    all.emplace_back("turned_away", std::vector{static_cast<double>(*turned_away)});
  }
  if (!measurement.cpu_ratios().empty()) all.emplace_back("cpu_ratios", measurement.cpu_ratios());
  return all;
}

}  // namespace harness::load
