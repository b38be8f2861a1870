// SPDX-License-Identifier: BSL-1.0
#include "harness/ledger.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace harness {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double number(std::optional<std::uint64_t> value) {
  return value ? static_cast<double>(*value) : unknown;
}

constexpr double page = 4096;
constexpr double malloc_step = 16;
constexpr double precision = 0.05;

/// A line, and the unit in which its values are counted.
struct Account {
  Line line;
  double unit;
};

void judge(Row& row, const std::string& counter, const Account& account, double tasks,
           double whole) {
  if (!row.get(counter)) return;
  const double resolution = account.unit / tasks;
  const double tolerance = precision * whole;
  if (account.line.slope < -std::max(resolution, tolerance)) row.doubt("negative", counter);
  if (account.line.slope_error > tolerance) row.doubt("bent", counter);
  if (resolution > tolerance) row.doubt("resolution", counter);
}

void tell_origin(Row& row, Snapshot::Origin origin) {
  if (origin == Snapshot::Origin::cgroup) return;
  row.note("kernel stacks: derived, threads times the machine's mean");
  if (origin == Snapshot::Origin::reckoned) {
    return row.note("slab: derived, kernel memory besides stacks and tables");
  }
  row.doubt("whole-machine", "kernel_bytes_per_task");
  row.doubt("whole-machine", "slab_bytes_per_task");
}

}  // namespace

Line fit(std::span<const Point> points) {
  const auto count = static_cast<double>(points.size());
  double x_mean = 0;
  double y_mean = 0;
  for (const auto& point : points) {
    x_mean += point.x / count;
    y_mean += point.y / count;
  }
  double covariance = 0;
  double variance = 0;
  for (const auto& point : points) {
    covariance += (point.x - x_mean) * (point.y - y_mean);
    variance += (point.x - x_mean) * (point.x - x_mean);
  }
  if (variance == 0) return {unknown, unknown, 0};
  const double slope = covariance / variance;
  const double intercept = y_mean - slope * x_mean;
  if (count < 3) return {slope, intercept, 0};
  double squares = 0;
  for (const auto& point : points) squares += std::pow(point.y - intercept - slope * point.x, 2);
  return {slope, intercept, std::sqrt(squares / (count - 2) / variance)};
}

void Ledger::enter(std::uint64_t tasks, const Snapshot& snapshot, std::optional<double> heap) {
  entries_.push_back({static_cast<double>(tasks), snapshot, heap});
}

template <class Value>
Line Ledger::line(Value value) const {
  std::vector<Point> points;
  for (const auto& entry : entries_) points.push_back({entry.tasks, value(entry)});
  return fit(points);
}

double Ledger::tasks_apart() const {
  return entries_.empty() ? 0 : entries_.back().tasks - entries_.front().tasks;
}

void Ledger::post(Row& row, bool own_stacks) const {
  const auto pages = [this](auto value) {
    return Account{line(value), page};
  };
  const Account user = pages([](const Entry& e) { return number(e.snapshot.resident); });
  // Each CPU holds back up to a page of a group's account (obj_stock, mm/memcontrol.c).
  const double kernel_unit = page * static_cast<double>(cpus_);
  const Account kernel{line([](const Entry& e) { return number(e.snapshot.kernel); }), kernel_unit};
  const Account slab{line([](const Entry& e) { return number(e.snapshot.slab); }), kernel_unit};
  const Account heap{line([](const Entry& e) { return e.heap.value_or(unknown); }), malloc_step};
  std::vector<std::pair<std::string, Account>> accounts{
      {"user", user},
      {"kernel", kernel},
      {"heap", heap},
      {"page_table", pages([](const Entry& e) { return number(e.snapshot.page_tables); })},
      {"kernel_stack", pages([](const Entry& e) { return number(e.snapshot.kernel_stacks); })},
      {"slab", slab}};
  if (own_stacks) {
    accounts.emplace_back("stack", pages([](const Entry& e) {
                            return number(e.snapshot.resident) - e.heap.value_or(unknown);
                          }));
  }
  const auto origin = entries_.empty() ? Snapshot::Origin::cgroup : entries_.back().snapshot.origin;
  const bool own = origin != Snapshot::Origin::machine;
  const bool kernel_is_known = own && !std::isnan(kernel.line.slope);
  const double whole = user.line.slope + (kernel_is_known ? kernel.line.slope : 0);
  for (const auto& [name, account] : accounts) {
    const std::string counter = name + "_bytes_per_task";
    row.set(counter, account.line.slope);
    judge(row, counter, account, tasks_apart(), whole);
  }
  row.set("virtual_bytes_per_task",
          line([](const Entry& e) { return number(e.snapshot.virtual_size); }).slope);
  row.set("mappings_per_task",
          line([](const Entry& e) { return number(e.snapshot.mappings); }).slope);
  const double files = entries_.empty() ? 0 : static_cast<double>(entries_.front().snapshot.files);
  row.set("intercept_bytes", files + user.line.intercept + (own ? kernel.line.intercept : 0));
  tell_origin(row, origin);
}

}  // namespace harness
