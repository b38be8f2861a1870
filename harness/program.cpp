// SPDX-License-Identifier: BSL-1.0
#include "harness/program.hpp"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdexcept>

#include "harness/choice.hpp"
#include "harness/context.hpp"
#include "harness/exit_status.hpp"
#include "harness/interrupt.hpp"
#include "harness/limits.hpp"
#include "harness/output_file.hpp"
#include "harness/runner.hpp"
#include "harness/standard_streams.hpp"
#include "harness/tally.hpp"
#include "harness/verdict/validity.hpp"

namespace harness {

namespace {

/// Subjects that no question asks for (a load generator) are no contenders.
std::vector<std::string> contenders_of(const Program& program) {
  std::vector<std::string> names;
  for (const auto& subject : program.subjects) {
    if (question_of(program, subject.question) == nullptr) continue;
    if (std::find(names.begin(), names.end(), subject.contender) == names.end()) {
      names.emplace_back(subject.contender);
    }
  }
  return names;
}

Row measure(const Question& question, const Cell& cell, const Options& options) {
  if (interrupted()) throw Failure{"interrupted: before its turn"};
  try {
    const auto before = verdict::Throttling::now();
    Row row = question.measure(cell, options);
    verdict::judge_machine(row, before, verdict::Throttling::now(), verdict::clock_source());
    return row;
  } catch (const Failure&) {
    throw;
  } catch (const std::exception& error) {
    throw Failure{refusal(error)};
  }
}

void run_cell(benchmark::State& state, const Question& question, const Cell& cell,
              const Options& options, Tally& tally) {
  const auto start = std::chrono::steady_clock::now();
  try {
    const Row row = measure(question, cell, options);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    for ([[maybe_unused]] auto once : state) state.SetIterationTime(took.count());
    row.publish(state, question.primary);
    tally.add(row);
  } catch (const Failure& failure) {
    state.SkipWithError(failure.what());
    tally.add(cell.name(), failure);
  }
}

int run_cells(const Program& program, const std::vector<Cell>& cells, const Options& options,
              std::vector<std::string> arguments) {
  Tally tally;
  OutputFile output{arguments};
  for (const auto& cell : cells) {
    const Question& question = *question_of(program, cell.question);
    benchmark::RegisterBenchmark(
        cell.name().c_str(),
        [&](benchmark::State& state) { run_cell(state, question, cell, options, tally); })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  for (const auto& [name, text] : run_context(options)) benchmark::AddCustomContext(name, text);
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  int argc = static_cast<int>(argv.size());
  benchmark::Initialize(&argc, argv.data());
  if (benchmark::ReportUnrecognizedArguments(argc, argv.data())) return usage_error;
  if (output.asked_for()) ignore_vanished_readers();
  const std::size_t matched = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (matched == 0) return usage_error;
  const std::string loss = output.asked_for() ? output.keep() : loss_on_standard_output();
  const auto [status, why] =
      loss.empty() ? tally.outcome(interrupted(), options.strict) : Outcome{has_failed, loss};
  if (status != 0) fmt::print(stderr, "{}: {}\n", program.name, why);
  return status;
}

bool is_refused(const Program& program, const Options& options) {
  std::vector<std::string> objections;
  if (options.strict) objections = environment_objections();
  if (const auto objection = descriptor_objection(); !objection.empty()) {
    objections.push_back(objection);
  }
  if (const auto objection = build_objection(); !objection.empty()) objections.push_back(objection);
  if (objections.empty()) return false;
  fmt::print(stderr, "{}: {}\n", program.name, fmt::join(objections, "; "));
  return true;
}

}  // namespace

int run_program(int argc, char** argv, const Program& program) {
  open_missing_standard_descriptors();
  if (is_subject(argc, argv)) return run_subject(argc, argv, program.subjects);
  const Usage usage{program.name,           program.summary,    program.measure_for,
                    contenders_of(program), program.parameters, program.settings};
  auto parsed = parse_command_line(argc, argv, usage);
  if (!parsed.options) return parsed.exit_status;
  if (is_refused(program, *parsed.options)) return environment_refused;
  try {
    catch_interrupts();
    ignore_full_files();
    const auto cells = chosen_cells(program, *parsed.options);
    return run_cells(program, cells, *parsed.options, std::move(parsed.benchmark_argv));
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "{}: {}\n", program.name, error.what());
    return usage_error;
  }
}

std::vector<Cell> cross(std::string_view question, const std::vector<std::string>& contenders,
                        std::initializer_list<std::string_view> keys, const Options& options) {
  std::vector<Cell> cells;
  for (const auto& contender : contenders) cells.push_back({std::string{question}, contender, {}});
  for (const auto key : keys) {
    std::vector<Cell> longer;
    for (const auto& cell : cells) {
      for (const auto& value : options.list(key)) longer.push_back(cell.with(key, value));
    }
    cells = std::move(longer);
  }
  return cells;
}

Row measure_in_subject(const Cell& cell, const Options& options) {
  Child child{cell, options};
  Row row;
  row.set_all(child.finish());
  for (const auto& note : child.notes()) row.note(note);
  verdict::judge_batches(row, true);
  return row;
}

}  // namespace harness
