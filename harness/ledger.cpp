// SPDX-License-Identifier: BSL-1.0
#include "harness/ledger.hpp"

#include <limits>

namespace harness {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double number(std::optional<std::uint64_t> value) {
  return value ? static_cast<double>(*value) : unknown;
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
  if (variance == 0) return {unknown, unknown};
  const double slope = covariance / variance;
  return {slope, y_mean - slope * x_mean};
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

void Ledger::post(Row& row, bool own_stacks) const {
  const Line user = line([](const Entry& e) { return static_cast<double>(e.snapshot.resident); });
  const Line kernel = line([](const Entry& e) { return number(e.snapshot.kernel); });
  const Line heap = line([](const Entry& e) { return e.heap.value_or(unknown); });
  const auto slope = [this](auto value) {
    return line(value).slope;
  };
  row.set("user_bytes_per_task", user.slope);
  row.set("kernel_bytes_per_task", kernel.slope);
  row.set("heap_bytes_per_task", heap.slope);
  if (own_stacks) row.set("stack_bytes_per_task", user.slope - heap.slope);
  row.set("page_table_bytes_per_task",
          slope([](const Entry& e) { return static_cast<double>(e.snapshot.page_tables); }));
  row.set("kernel_stack_bytes_per_task",
          slope([](const Entry& e) { return number(e.snapshot.kernel_stacks); }));
  row.set("slab_bytes_per_task", slope([](const Entry& e) { return number(e.snapshot.slab); }));
  row.set("virtual_bytes_per_task",
          slope([](const Entry& e) { return static_cast<double>(e.snapshot.virtual_size); }));
  row.set("mappings_per_task",
          slope([](const Entry& e) { return static_cast<double>(e.snapshot.mappings); }));
  const auto origin = entries_.empty() ? Snapshot::Origin::cgroup : entries_.back().snapshot.origin;
  const bool own = origin != Snapshot::Origin::machine;
  const double files = entries_.empty() ? 0 : static_cast<double>(entries_.front().snapshot.files);
  row.set("intercept_bytes", files + user.intercept + (own ? kernel.intercept : 0));
  tell_origin(row, origin);
}

}  // namespace harness
