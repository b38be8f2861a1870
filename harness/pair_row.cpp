// SPDX-License-Identifier: BSL-1.0
#include "harness/pair_row.hpp"

#include <fmt/format.h>
#include <string>
#include <vector>

#include "harness/bootstrap.hpp"

namespace harness {

namespace {

constexpr double most_errors = 0.001;    ///< of the messages
constexpr double near_saturation = 0.9;  ///< of the client's CPU
constexpr double on_schedule = 0.99;     ///< of the planned messages
constexpr double most_lateness = 0.1;    ///< of the client at p99, of the latency at p99
constexpr std::size_t least_rounds = 10;

constexpr const char* latencies[] = {"p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns"};

double value_of(const Results& results, const std::string& name, double otherwise = 0) {
  const auto found = results.find(name);
  return found == results.end() || found->second.empty() ? otherwise : found->second.front();
}

bool has(const Results& results, const std::string& name) {
  return results.find(name) != results.end();
}

void check_errors(const Results& clients, const std::string& prefix) {
  const double errors = value_of(clients, prefix + "errors");
  const double operations = value_of(clients, prefix + "operations");
  if (errors <= most_errors * operations) return;
  throw Failure{fmt::format("failed: {} errors in {} messages of {}", errors, operations,
                            prefix.empty() ? "the server" : "the floor")};
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
  if (found == clients.end()) return;
  const Interval interval = bootstrap_median(found->second);
  row.set("cpu_vs_floor", interval.middle);
  row.set("cpu_vs_floor_low", interval.low);
  row.set("cpu_vs_floor_high", interval.high);
  row.set("rounds", static_cast<double>(found->second.size()));
  if (found->second.size() < least_rounds) row.doubt("few-rounds", "cpu_vs_floor");
}

void doubt_throughput_and_tail(Row& row, std::string_view reason) {
  row.doubt(reason, "ops_per_s");
  for (const char* latency : latencies) row.doubt(reason, latency);
}

void judge_closed_loop(Row& row, const Results& clients) {
  if (value_of(clients, "client_cpu_share") > near_saturation) {
    doubt_throughput_and_tail(row, "client-limited");
  }
}

void judge_open_loop(Row& row, const Results& clients) {
  row.set("offered_ops_per_s", value_of(clients, "offered_ops_per_s"));
  row.set("lag_p99_ns", value_of(clients, "lag_p99_ns"));
  row.set("achieved_share", value_of(clients, "achieved_share"));
  if (value_of(clients, "achieved_share", 1) < on_schedule) {
    doubt_throughput_and_tail(row, "behind-schedule");
  }
  if (value_of(clients, "lag_p99_ns") > most_lateness * value_of(clients, "p99_ns")) {
    for (const char* latency : latencies) row.doubt("client-late", latency);
  }
}

}  // namespace

Row pair_row(const PairFigures& figures, const load::Plan& plan) {
  const Results& clients = figures.clients;
  check_errors(clients, "");
  check_errors(clients, "floor_");
  Row row;
  set_ratio(row, clients);
  for (const char* name : {"ops_per_s", "server_cpu_ns_per_op"}) {
    if (has(clients, name)) row.set(name, value_of(clients, name));
    const std::string of_floor = fmt::format("floor_{}", name);
    row.set(of_floor, value_of(clients, of_floor));
  }
  for (const char* latency : latencies) {
    row.set(latency, value_of(clients, latency));
    row.set(fmt::format("floor_{}", latency), value_of(clients, fmt::format("floor_{}", latency)));
  }
  set_calls(row, "", figures.server, value_of(clients, "operations"));
  set_calls(row, "floor_", figures.floor, value_of(clients, "floor_operations"));
  row.set("client_cpu_share", value_of(clients, "client_cpu_share"));
  row.set("errors", value_of(clients, "errors"));
  if (plan.rate > 0) {
    judge_open_loop(row, clients);
  } else {
    judge_closed_loop(row, clients);
  }
  if (value_of(clients, "delayed_ack_plateau") != 0) row.note("a plateau at 40 ms: delayed ACKs");
  return row;
}

NamedHistograms latencies_of(const PairFigures& figures) {
  NamedHistograms latencies;
  for (const std::string of : {"", "floor_"}) {
    const auto found = figures.clients.find(of + "latency_histogram");
    if (found == figures.clients.end()) continue;
    latencies.emplace_back(of + "latency_ns", Histogram::unflatten(found->second));
  }
  return latencies;
}

}  // namespace harness
