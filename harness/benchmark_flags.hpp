// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace harness {

/// Whether an argument is Google Benchmark's: `--benchmark_…`, `--v=`.
bool is_benchmark_flag(std::string_view argument);

/// The value of `--NAME=VALUE`, if the argument is that.
std::optional<std::string> value_of(std::string_view argument, std::string_view name);

/// Empty when Google Benchmark can be given the argument. Else the line that says what is wrong
/// with its value, where Google Benchmark would end with a status of its own; or, where a flag has
/// no meaning for rows that are processes, measured once, what to use instead.
std::string benchmark_objection(std::string_view argument);

/// The same for its environment variables, which stand for flags: BENCHMARK_REPETITIONS and the
/// like.
std::string benchmark_environment_objection();

}  // namespace harness
