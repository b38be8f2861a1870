// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace harness::load {

/// How a connection can fail.
enum class ErrorKind : std::size_t {
  connect,    ///< it never stood
  reset,      ///< the peer (or the network) tore it down
  closed,     ///< the peer ended it before an answer
  cut_short,  ///< the peer ended it within an answer
  corrupt,    ///< a byte came back that was not the one sent, or one too many
  timeout,    ///< no whole answer in time
  count
};

inline constexpr std::array<std::string_view, static_cast<std::size_t>(ErrorKind::count)>
    error_names{"connect", "reset", "closed", "short", "corrupt", "timeout"};

/// Whether so many failures leave nothing to be trusted: more than one message in a thousand was
/// not answered, or, as each failure costs its connection, more than one connection in a hundred is
/// gone, and others have been measured than the plan says.
constexpr bool too_many_errors(double errors, double operations, std::uint64_t connections) {
  constexpr double of_messages = 0.001;
  constexpr double of_connections = 0.01;
  return errors > of_messages * operations ||
         errors > of_connections * static_cast<double>(connections);
}

/// How often each happened.
struct Errors {
  std::array<std::uint64_t, error_names.size()> of{};

  std::uint64_t& operator[](ErrorKind kind) { return of[static_cast<std::size_t>(kind)]; }
  std::uint64_t operator[](ErrorKind kind) const { return of[static_cast<std::size_t>(kind)]; }

  [[nodiscard]] std::uint64_t total() const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : of) sum += count;
    return sum;
  }

  /// Those that happened, e.g. `reset=3 timeout=1`; `none` for none.
  [[nodiscard]] std::string text() const {
    std::string text;
    for (std::size_t i = 0; i < of.size(); ++i) {
      if (of[i] == 0) continue;
      if (!text.empty()) text += ' ';
      text.append(error_names[i]).append("=").append(std::to_string(of[i]));
    }
    return text.empty() ? "none" : text;
  }
};

}  // namespace harness::load
