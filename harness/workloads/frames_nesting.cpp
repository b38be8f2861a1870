// SPDX-License-Identifier: BSL-1.0
#include <fmt/format.h>

#include "harness/compilation.hpp"
#include "harness/contenders.hpp"
#include "harness/row.hpp"
#include "harness/workloads/frames.hpp"

namespace harness {

namespace {

struct Nested {
  double compile_cpu_ns;
  double code_bytes;
  double state_bytes;
  std::string compiler;
};

/// What probes/nesting.cpp calls it.
std::string_view style_of(std::string_view contender) {
  if (contender == Futures::name) return "FUTURES";
  return contender == Coroutines::name ? "COROUTINES" : "CALLS";
}

Nested measure(const Compiler& compiler, const Cell& cell, std::uint64_t levels) {
  const ScratchFolder folder;
  const auto object = folder.file("nesting.o");
  const auto program = folder.file("nesting");
  const auto took = compiler.compile(
      "harness/workloads/probes/nesting.cpp",
      {fmt::format("-O{}", cell.number("optimise")), fmt::format("-DNESTING={}", levels),
       fmt::format("-D{}", style_of(cell.contender))},
      object);
  compiler.link(object, program);
  const auto told = told_by(program);
  if (!told.contains("state_bytes")) throw Failure{"failed: the probe did not say its state"};
  return {static_cast<double>(took.count()), static_cast<double>(code_bytes(object)),
          told.at("state_bytes"), compiler_named(told)};
}

}  // namespace

void run_nesting(Port& port, const Cell& cell) {
  const Compiler compiler{cell.text("compiler")};
  const std::uint64_t levels = cell.number("nesting");
  const Nested all = measure(compiler, cell, levels);
  port.note(all.compiler);
  port.result("compile_cpu_ns", all.compile_cpu_ns);
  port.result("code_bytes", all.code_bytes);
  port.result("state_bytes", all.state_bytes);
  if (levels == 1) return;
  const Nested one = measure(compiler, cell, 1);
  const auto more = static_cast<double>(levels - 1);
  port.result("compile_cpu_ns_per_level", (all.compile_cpu_ns - one.compile_cpu_ns) / more);
  port.result("code_bytes_per_level", (all.code_bytes - one.code_bytes) / more);
  port.result("state_bytes_per_level", (all.state_bytes - one.state_bytes) / more);
}

}  // namespace harness
