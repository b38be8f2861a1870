// SPDX-License-Identifier: BSL-1.0
#include "harness/pair_row.hpp"

#include <fmt/format.h>
#include <string>
#include <vector>

#include "harness/bootstrap.hpp"
#include "harness/load/errors.hpp"
#include "harness/load/thresholds.hpp"
#include "harness/others.hpp"

namespace harness {

namespace {

constexpr double most_lateness = 0.1;  ///< of the client at p99, of the latency at p99

constexpr double most_between_slices = 0.02;  ///< of the server's CPU time

constexpr double furthest_off = 0.1;  ///< of a ratio, half of its interval (pair_row.hpp)

constexpr const char* latencies[] = {"p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns"};

double value_of(const Results& results, const std::string& name, double otherwise = 0) {
  const auto found = results.find(name);
  return found == results.end() || found->second.empty() ? otherwise : found->second.front();
}

bool has(const Results& results, const std::string& name) {
  return results.find(name) != results.end();
}

void check_errors(const Results& clients, const std::string& prefix, std::uint64_t connections) {
  const double errors = value_of(clients, prefix + "errors");
  const double operations = value_of(clients, prefix + "operations");
  if (!load::too_many_errors(errors, operations, connections)) return;
  throw Failure{fmt::format("failed: {} errors in {} messages on {} connections of {}", errors,
                            operations, connections, prefix.empty() ? "the server" : "the floor")};
}

/// What the kernel was asked for by a server, a message.
void set_calls(Row& row, const std::string& prefix, const Results& server, double operations) {
  if (server.empty() || operations == 0) return;
  const double reads = value_of(server, "reads");
  const double writes = value_of(server, "writes");
  const double waits = value_of(server, "waits");
  row.set(prefix + "reads_per_op", reads / operations);
  row.set(prefix + "writes_per_op", writes / operations);
  row.set(prefix + "syscalls_per_op",
          (reads + writes + waits + value_of(server, "wakes")) / operations);
  row.set(prefix + "registrations_per_connection",
          value_of(server, "registrations") / value_of(server, "connections"));
  if (waits > 0) row.set(prefix + "ops_per_wait", operations / waits);
  if (has(server, "allocations")) {
    row.set(prefix + "allocs_per_op", value_of(server, "allocations") / operations);
  }
}

void set_ratio(Row& row, const Results& clients) {
  const auto found = clients.find("cpu_ratios");
  if (found == clients.end()) return row.speak_for("ops_per_s");  // a process nobody named
  const Interval interval = bootstrap_median(found->second);
  row.set("cpu_vs_floor", interval.middle);
  row.set("cpu_vs_floor_low", interval.low);
  row.set("cpu_vs_floor_high", interval.high);
  row.set("rounds", static_cast<double>(found->second.size()));
  if (found->second.size() < load::Plan::least_rounds) row.doubt("few-rounds", "cpu_vs_floor");
  const double off_by = (interval.high - interval.low) / 2;
  if (off_by > furthest_off * interval.middle) row.doubt("wide", "cpu_vs_floor");
}

void doubt_latencies(Row& row, std::string_view reason, const std::string& prefix) {
  for (const char* latency : latencies) row.doubt(reason, prefix + latency);
}

void doubt_throughput_and_tail(Row& row, std::string_view reason, const std::string& prefix) {
  row.doubt(reason, prefix + "ops_per_s");
  doubt_latencies(row, reason, prefix);
}

void doubt_cpu(Row& row, std::string_view reason, const std::string& prefix) {
  row.doubt(reason, prefix + "server_cpu_ns_per_op");
  row.doubt(reason, "cpu_vs_floor");
}

void doubt_all(Row& row, std::string_view reason, const std::string& prefix) {
  doubt_cpu(row, reason, prefix);
  doubt_throughput_and_tail(row, reason, prefix);
}

void judge_client(Row& row, const Results& clients, const std::string& prefix) {
  if (value_of(clients, prefix + "client_cpu_share") > load::near_saturation) {
    doubt_throughput_and_tail(row, "client-limited", prefix);
  }
}

void judge_open_loop(Row& row, const Results& clients, const std::string& prefix) {
  for (const char* name : {"lag_p99_ns", "achieved_share", "overtime_share", "unanswered"}) {
    row.set(prefix + name, value_of(clients, prefix + name));
  }
  if (value_of(clients, prefix + "achieved_share", 1) < load::on_schedule) {
    doubt_all(row, "overloaded", prefix);  // the other server has had another rate to bear
    judge_client(row, clients, prefix);
  } else if (value_of(clients, prefix + "overtime_share") > load::most_overtime) {
    doubt_throughput_and_tail(row, "behind-schedule", prefix);
  }
  if (value_of(clients, prefix + "lag_p99_ns") >
      most_lateness * value_of(clients, prefix + "p99_ns")) {
    doubt_latencies(row, "client-late", prefix);
  }
}

/// What the clients saw of one server, and how far to trust it.
void set_seen(Row& row, const Results& clients, const std::string& prefix, bool open_loop) {
  for (const auto& [name, values] : clients) {
    if (name.starts_with(prefix + "errors")) row.set(name, values.front());
  }
  for (const char* name : {"ops_per_s", "server_cpu_ns_per_op", "client_cpu_share"}) {
    if (has(clients, prefix + name)) row.set(prefix + name, value_of(clients, prefix + name));
  }
  if (const double share = value_of(clients, prefix + "client_cpu_share"); share > 0) {
    row.set(prefix + "client_ceiling_ops_per_s", value_of(clients, prefix + "ops_per_s") / share);
  }
  for (const char* latency : latencies)
    row.set(prefix + latency, value_of(clients, prefix + latency));
  if (open_loop) {
    judge_open_loop(row, clients, prefix);
  } else {
    judge_client(row, clients, prefix);
  }
  if (value_of(clients, prefix + "errors") > 0) doubt_all(row, "lost-connections", prefix);
  if (value_of(clients, prefix + "cpu_between_slices") > most_between_slices) {
    doubt_cpu(row, "work-between-slices", prefix);
  }
  if (value_of(clients, prefix + "delayed_ack_plateau") != 0) {
    doubt_latencies(row, "delayed-ack", prefix);
  }
}

/// A ramp that overflowed a backlog has waited for the kernel to try again, and has left who knows
/// what behind.
void judge_ramp(Row& row, const Results& clients) {
  if (!has(clients, "turned_away")) return;
  row.set("turned_away", value_of(clients, "turned_away"));
  if (value_of(clients, "turned_away") == 0) return;
  for (const std::string prefix : {"", "floor_"}) doubt_all(row, "backlog-overflow", prefix);
}

/// Whoever waits for a CPU that others have answers late, client or server; what it costs is told
/// all the same.
void judge_others(Row& row, const Results& clients) {
  if (!has(clients, "others_cpu_share")) return;
  const double share = value_of(clients, "others_cpu_share");
  row.set("others_cpu_share", share);
  if (share <= most_others) return;
  for (const std::string prefix : {"", "floor_"}) doubt_throughput_and_tail(row, "noisy", prefix);
}

}  // namespace

Row pair_row(const PairFigures& figures, const load::Plan& plan) {
  const Results& clients = figures.clients;
  for (const std::string prefix : {"", "floor_"}) check_errors(clients, prefix, plan.connections);
  Row row;
  set_ratio(row, clients);
  for (const std::string prefix : {"", "floor_"}) set_seen(row, clients, prefix, plan.rate > 0);
  judge_others(row, clients);
  judge_ramp(row, clients);
  for (const std::string prefix : {"", "floor_"}) {
    if (figures.one_cpu) doubt_throughput_and_tail(row, "shared-cpu", prefix);
  }
  set_calls(row, "", figures.server, value_of(clients, "operations"));
  set_calls(row, "floor_", figures.floor, value_of(clients, "floor_operations"));
  if (plan.rate > 0) {
    row.set("offered_ops_per_s", plan.rate);
    row.speak_for("p99_ns");  // what an open loop is for
  }
  return row;
}

NamedHistograms latencies_of(const PairFigures& figures) {
  NamedHistograms kept;
  for (const std::string of : {"", "floor_"}) {
    const auto found = figures.clients.find(of + "latency_histogram");
    if (found == figures.clients.end()) continue;
    kept.emplace_back(of + "latency_ns", Histogram::unflatten(found->second));
  }
  return kept;
}

}  // namespace harness
