// SPDX-License-Identifier: BSL-1.0
#include "harness/load/report.hpp"

#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "harness/bootstrap.hpp"
#include "harness/load/thresholds.hpp"

namespace harness::load {
namespace {

using Table = std::map<std::string, std::vector<double>, std::less<>>;

std::string in_unit(double ns) {
  if (ns < 1e3) return fmt::format("{:.0f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.2f} us", ns / 1e3);
  if (ns < 1e9) return fmt::format("{:.2f} ms", ns / 1e6);
  return fmt::format("{:.2f} s", ns / 1e9);
}

std::string plain(double value) {
  return fmt::format("{:.0f}", value);
}

std::string share(double value) {
  return fmt::format("{:.2f}", value);
}

struct Line {
  std::string_view name;
  std::string_view counter;
  std::string (*shown)(double);
};

constexpr Line lines[] = {{"operations", "operations", plain},
                          {"operations a second", "ops_per_s", plain},
                          {"offered a second", "offered_ops_per_s", plain},
                          {"server CPU an operation", "server_cpu_ns_per_op", in_unit},
                          {"latency, mean", "mean_ns", in_unit},
                          {"  50 %", "p50_ns", in_unit},
                          {"  90 %", "p90_ns", in_unit},
                          {"  99 %", "p99_ns", in_unit},
                          {"  99.9 %", "p999_ns", in_unit},
                          {"  longest", "max_ns", in_unit},
                          {"our own lateness, 99 %", "lag_p99_ns", in_unit},
                          {"load generator CPU share", "client_cpu_share", share},
                          {"errors", "errors", plain}};

std::optional<double> single(const Table& table, const std::string& name) {
  const auto found = table.find(name);
  if (found == table.end() || found->second.size() != 1) return std::nullopt;
  return found->second.front();
}

std::string heading(const Plan& plan) {
  const std::string pace =
      plan.rate > 0 ? fmt::format("open loop at {:.0f}/s", plan.rate) : "closed loop";
  return fmt::format("{} connections, {} sending, {} bytes, {}\n\n", plan.connections,
                     plan.senders(), plan.bytes, pace);
}

std::string ratio_line(const std::vector<double>& ratios) {
  const Interval interval = bootstrap_median(ratios);
  const std::string median =
      fmt::format("\nserver CPU ratio {:.3f}, median of {} rounds", interval.middle, ratios.size());
  if (ratios.size() < Plan::least_rounds) return median + ": too few for an interval\n";
  return median +
         fmt::format(" (bootstrap, about 95 %: {:.3f} to {:.3f})\n", interval.low, interval.high);
}

std::string remarks(const Table& table) {
  std::string text = "\n";
  for (const std::string prefix : {"", "floor_"}) {
    if (single(table, prefix + "client_cpu_share").value_or(0) > near_saturation) {
      text += "client-limited: the load generator was the limit, not the server\n";
    }
    if (single(table, prefix + "achieved_share").value_or(1) < on_schedule) {
      text += fmt::format(
          "overloaded: {:.0f} of the planned messages were never answered, and "
          "count with their age\n",
          single(table, prefix + "unanswered").value_or(0));
    } else if (single(table, prefix + "overtime_share").value_or(0) > most_overtime) {
      text += "behind schedule: the planned messages took longer than planned\n";
    }
    if (single(table, prefix + "delayed_ack_plateau").value_or(0) != 0) {
      text += "a plateau at 40 ms: delayed acknowledgements meet Nagle's algorithm\n";
    }
  }
  return text;
}

}  // namespace

std::string summary(const Measurement& measurement) {
  const auto all = figures(measurement);
  const Table table{all.begin(), all.end()};
  std::string text = heading(measurement.plan()) + fmt::format("{:<26}", "");
  for (const auto& side : measurement.sides()) {
    text += fmt::format(" {:>24}", side->target().address.text());
  }
  text += '\n';
  for (const Line& line : lines) {
    const auto first = single(table, std::string{line.counter});
    if (!first) continue;
    text += fmt::format("{:<26} {:>24}", line.name, line.shown(*first));
    if (const auto second = single(table, "floor_" + std::string{line.counter})) {
      text += fmt::format(" {:>24}", line.shown(*second));
    }
    text += '\n';
  }
  const auto& ratios = measurement.cpu_ratios();
  if (!ratios.empty()) text += ratio_line(ratios);
  return text + remarks(table);
}

JsonFields json_fields(const Measurement& measurement) {
  const Plan& plan = measurement.plan();
  JsonFields fields{{"schema_version", std::uint64_t{1}},
                    {"target", plan.target.address.text()},
                    {"connections", plan.connections},
                    {"active", plan.senders()},
                    {"bytes", plan.bytes},
                    {"rate", plan.rate}};
  if (plan.against) fields.emplace_back("against", plan.against->address.text());
  for (const auto& [name, values] : figures(measurement)) {
    if (name.ends_with("latency_histogram")) continue;  // the histograms below say it
    if (values.size() == 1) {
      fields.emplace_back(name, values.front());
    } else {
      fields.emplace_back(name, values);
    }
  }
  fields.emplace_back("latency_ns", &measurement.sides().front()->tally().latency);
  if (plan.against) {
    fields.emplace_back("floor_latency_ns", &measurement.sides().back()->tally().latency);
  }
  return fields;
}

std::string verdict(const Measurement& measurement) {
  for (const auto& side : measurement.sides()) {
    const auto errors = static_cast<double>(side->errors().total());
    const auto operations = static_cast<double>(side->tally().operations);
    const std::uint64_t connections = measurement.plan().connections;
    if (!too_many_errors(errors, operations, connections)) continue;
    return fmt::format("failed: {} errors in {} operations on {} connections of {} ({})", errors,
                       operations, connections, side->target().address.text(),
                       side->errors().text());
  }
  return {};
}

}  // namespace harness::load
