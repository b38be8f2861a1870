// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace harness {

/// Half of what is reached, in two significant digits: nobody knows it better, and a round number
/// is easily asked for again. At least 1.
double half_of(double ops_per_s);

/// The rates of `rate:half`, by the shape of the load: each is measured once and offered again, to
/// every contender and in every call that is given the same file, for latencies at different rates
/// are no sample of anything. One thread at a time.
class HalfRates {
 public:
  /// An empty path: known to this object only.
  explicit HalfRates(std::filesystem::path file);

  /// Messages a second.
  [[nodiscard]] std::optional<double> find(const std::string& shape) const;
  /// `for_good`: for further calls, too. Throws Failure when the file cannot be written.
  void keep(const std::string& shape, double rate, bool for_good);

 private:
  std::filesystem::path file_;
  std::map<std::string, double> known_;
};

}  // namespace harness
