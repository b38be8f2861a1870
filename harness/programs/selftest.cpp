// SPDX-License-Identifier: BSL-1.0
#include <cmath>
#include <fmt/format.h>

#include "harness/bootstrap.hpp"
#include "harness/floors/epoll_echo.hpp"
#include "harness/load/subject.hpp"
#include "harness/pair.hpp"
#include "harness/programs/programs.hpp"
#include "harness/runner.hpp"
#include "harness/workloads/slowdown.hpp"

namespace harness {

namespace {

std::vector<Cell> cells(const Options& options) {
  auto cells = cross("selftest", {"slowdown"}, {"percent"}, options);
  for (auto& cell : cross("selftest", {"pair"}, {"connections"}, options)) {
    cells.push_back(std::move(cell));
  }
  return cells;
}

/// What the instrument says against what is known. A machine too noisy to tell is doubted; a clear
/// answer that is wrong is an error of the instrument.
void judge(Row& row, const Interval& said, double known, double tolerance) {
  row.set("ratio", said.middle);
  row.set("ratio_low", said.low);
  row.set("ratio_high", said.high);
  row.set("known_ratio", known);
  const bool clear = said.high - said.low <= tolerance;
  const bool right = std::abs(said.middle - known) <= tolerance;
  if (clear && !right) {
    throw Failure{fmt::format("wrong: ratio {:.4f} [{:.4f}, {:.4f}] where {:.4f} is known",
                              said.middle, said.low, said.high, known)};
  }
  if (!right || !clear) row.doubt("noisy", "ratio");
}

/// A seeded slowdown has to be found, none has to be found in nothing.
Row measure_slowdown(const Cell& cell, const Options& options) {
  constexpr double tolerance = 0.01;
  Child child{cell, options};
  const auto ratios = child.finish()["ratio"];
  Row row;
  judge(row, bootstrap_median(ratios), 1 + static_cast<double>(cell.number("percent")) / 100,
        tolerance);
  return row;
}

/// The same server against itself, through the pair.
Row measure_same(const Cell& cell, const Options& options) {
  const std::uint64_t connections = cell.number("connections");
  const Cell echo{
      "echo",
      std::string{floor_server},
      {{"transport", "tcp"}, {"connections", std::to_string(connections)}, {"bytes", "64"}}};
  Row row = measure_pair(echo, options);
  const auto value = [&row](const char* counter) {
    return row.get(counter).value_or(std::nan(""));
  };
  const Interval said{value("cpu_vs_floor_low"), value("cpu_vs_floor"), value("cpu_vs_floor_high")};
  judge(row, said, 1, connections < 1000 ? 0.01 : 0.025);
  return row;
}

std::string objection(const Cell& cell) {
  const std::string_view wanted = cell.contender == "pair" ? "connections" : "percent";
  return cell.has(wanted) ? std::string{} : fmt::format("a {} has {}", cell.contender, wanted);
}

Row measure(const Cell& cell, const Options& options) {
  return cell.contender == "pair" ? measure_same(cell, options) : measure_slowdown(cell, options);
}

}  // namespace

Program selftest_program() {
  return {
      .name = "bench-selftest",
      .summary = "Whether the instrument finds a slowdown that is there, and none that is not.",
      .parameters = {{.key = "percent",
                      .defaults = {"0", "2", "10"},
                      .minimum = 0,
                      .maximum = 1000,
                      .help = "how much more the second loop has to do"},
                     {.key = "connections",
                      .defaults = {"64", "1000"},
                      .minimum = 1,
                      .maximum = load::Plan::most_connections,
                      .help = "to each of two servers that are the same"}},
      .questions = {{"selftest", "ratio", &cells, &measure, {}, &objection}},
      .subjects = {slowdown_subject(),
                   {"selftest", "pair",
                    [](Port& port, const Cell&) {
                      port.failure("failed: a pair is two subjects");
                    }},
                   floors::epoll_echo(),
                   load::subject()},
      .measure_for = std::chrono::duration<double>{4},
  };
}

}  // namespace harness
