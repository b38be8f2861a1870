// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "harness/cell.hpp"
#include "io/socket.hpp"

namespace harness {

/// The child's end of the line to the parent. Marks and results are one-way writes, so any task may
/// send them; *go* is a byte that an ordinary task of the room reads through the room's own stream.
/// Any thread may call any member; a line is sent whole.
class Port {
 public:
  explicit Port(int fd) noexcept : fd_{fd} {}

  /// Says that a state has been reached, e.g. `idle 0` or `parked 1000`: tasks alive and waiting.
  void mark(std::string_view state, std::uint64_t tasks) noexcept;
  /// A server's address, for the load generator.
  void listening(const io::Endpoint& where);
  /// One measured value, or the values of the batches it was measured in.
  void result(std::string_view counter, double value);
  void result(std::string_view counter, std::span<const double> batches);
  /// The cell ends here as a row that says so: `refused: LIMIT reached=N limit=N`, `wrong: …`.
  /// Safe to call from any task; the first word said is kept. The subject then winds down.
  void failure(std::string_view line) noexcept;
  [[nodiscard]] bool failed() const noexcept;

  /// The descriptor on which *go* arrives, for the room's own stream. Duplicated: closing is the
  /// stream's business.
  [[nodiscard]] io::Descriptor go_descriptor(io::Mode mode, std::error_code& error) const;

 private:
  int fd_;
};

/// One thing a child can be asked to run: found by question and contender.
struct Subject {
  std::string_view question;
  std::string_view contender;
  void (*run)(Port&, const Cell&);
};

}  // namespace harness
