// SPDX-License-Identifier: BSL-1.0
#include <filesystem>
#include <fmt/format.h>

#include "harness/build_info.hpp"
#include "harness/compilation.hpp"
#include "harness/contenders.hpp"
#include "harness/workloads/bodies.hpp"
#include "harness/workloads/compose.hpp"
#include "harness/workloads/operation.hpp"
#include "harness/workloads/walk.hpp"

namespace harness {

namespace {

/// Counting them would cost the contender; so a build of the same bodies that does nothing else is
/// asked. Where programs are not built, neither is that.
void report_references(Port& port, std::string_view contender) {
  const std::filesystem::path probe = build::references_probe;
  if (!std::filesystem::exists(probe)) return;
  const auto told = told_by(probe);
  if (const auto found = told.find(std::string{contender}); found != told.end()) {
    port.result("references_per_suspension", found->second);
  }
}

template <class C>
void run(Port& port, std::uint64_t suspensions) {
  using B = typename C::Backend;
  typename B::Runtime runtime{typename B::Options{}};
  Walkers<B> walkers{runtime};
  const auto operation = [&] {
    return walkers.walk(runtime, suspensions,
                        [&](auto& side) { return spawn_body<C, Walk<B>>(runtime, side); });
  };
  Batches batches{port.measure_for(), 2 * suspensions};
  if (!time_batches(batches, operation)) return port.failure("wrong: a task was not resumed");
  batches.report(port, "suspension");
  const auto all = static_cast<double>(2 * suspensions);
  report_bytes(port, "suspension", all, operation);
  port.result("steps_per_suspension", static_cast<double>(walkers.steps()) / all);
  report_references(port, C::name);
}

}  // namespace

void run_suspensions(Port& port, const Cell& cell) {
  with_contender<Composers>(cell.contender,
                            [&]<class C>() { run<C>(port, cell.number("suspensions")); });
}

}  // namespace harness
