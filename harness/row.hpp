// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace benchmark {
class State;
}

namespace harness {

/// Why a cell has no figures. The text starts with one of the contract's words: `refused:`,
/// `failed:`, `wrong:`, `timeout:`, `crashed:`, `interrupted:`; it is all that remains of the row.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;

  /// A refusal or an interruption is no defect of the row; every other kind is.
  [[nodiscard]] bool is_defect() const;
};

/// Median and quartiles (linear interpolation between order statistics); all NaN without values.
struct Quartiles {
  double lower;
  double median;
  double upper;
};
Quartiles quartiles(std::span<const double> values);

/// What a subject reported: counter to the values of its batches (one value for a plain result).
using Results = std::map<std::string, std::vector<double>, std::less<>>;

/// The figures of one cell on their way into Google Benchmark.
class Row {
 public:
  /// A counter without a value (NaN, infinity) is left out: neither is JSON.
  void set(std::string_view counter, double value);
  /// The median under the counter's name, the quartiles under NAME_q1 and NAME_q3, how many batches
  /// under NAME_batches. A single value is set plainly.
  void set_batches(std::string_view counter, std::span<const double> values);
  /// All of them by set_batches.
  void set_all(const Results& results);
  [[nodiscard]] std::optional<double> get(std::string_view counter) const;
  /// Name and value, in the order of setting.
  [[nodiscard]] const std::vector<std::pair<std::string, double>>& counters() const noexcept {
    return counters_;
  }

  /// Marks counters as not to be trusted, for a reason of one word (`noisy`, `client-limited`):
  /// the label says `REASON: COUNTER COUNTER`, and `valid` turns 0 when the primary is among them.
  void doubt(std::string_view reason, std::string_view counter);
  [[nodiscard]] bool doubted() const { return !doubts_.empty(); }
  [[nodiscard]] bool doubted(std::string_view counter) const;
  /// Makes `valid` speak of this counter instead of the question's primary one.
  void speak_for(std::string_view counter) { primary_ = counter; }
  /// More for the label, e.g. the guard strategy in force.
  void note(std::string_view text);
  [[nodiscard]] std::string label() const;

  /// Hands all of it over, with `valid` of the primary counter: the question's, unless the row
  /// speaks for another. Call after the state's loop.
  void publish(benchmark::State& state, std::string_view primary) const;

 private:
  std::vector<std::pair<std::string, double>> counters_;
  std::vector<std::pair<std::string, std::vector<std::string>>> doubts_;  ///< reason, counters
  std::vector<std::string> notes_;
  std::string primary_;
};

}  // namespace harness
