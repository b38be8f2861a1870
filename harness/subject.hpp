// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "harness/cell.hpp"
#include "io/socket.hpp"

namespace harness {

/// The child's end of the line to the parent. Marks and results are one-way writes, so any task may
/// send them; *go* is a byte that an ordinary task of the room reads through the room's own stream.
/// Any thread may call any member; a line is sent whole. A parent that is gone is no error here:
/// the kernel ends the child with it.
class Port {
 public:
  Port(int fd, std::chrono::nanoseconds measure_for) noexcept
      : fd_{fd}, measure_for_{measure_for} {}
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  /// How long a subject that measures itself may do so.
  [[nodiscard]] std::chrono::nanoseconds measure_for() const noexcept { return measure_for_; }

  /// Says that a state has been reached, e.g. `idle 0` or `parked 1000`: tasks alive and waiting.
  void mark(std::string_view state, std::uint64_t tasks) noexcept;
  /// A server's address, for the load generator.
  void listening(const io::Endpoint& where);
  /// A word for the row's label.
  void note(std::string_view text);
  /// One measured value (allocates nothing), or the values of the batches it was measured in.
  void result(std::string_view counter, double value) noexcept;
  void result(std::string_view counter, std::span<const double> batches);
  /// The cell ends here as a row that says so: `refused: LIMIT reached=N limit=N`, `wrong: …`.
  /// Safe to call from any task; the first word said is kept. The parent then kills the subject.
  void failure(std::string_view line) noexcept;
  /// The same from a place that cannot wind down (tasks already wait): ends the process at once.
  [[noreturn]] void give_up(std::string_view line) noexcept;
  [[nodiscard]] bool failed() const noexcept { return failed_.load(std::memory_order_relaxed); }

  /// Goes on as another program of this build, started like any subject: for what needs flags or a
  /// linker of its own. Returns only when that failed, having said so.
  void continue_as(const std::string& program, const Cell& cell);

  /// The descriptor on which *go* arrives, for the room's own stream. Duplicated: closing is the
  /// stream's business.
  [[nodiscard]] io::Descriptor go_descriptor(io::Mode mode, std::error_code& error) const;

 private:
  void send_line(std::string_view line) noexcept;

  int fd_;
  std::chrono::nanoseconds measure_for_;
  std::mutex sending_;
  std::atomic<bool> failed_{false};
};

/// One thing a child can be asked to run: found by question and contender. A Failure that leaves
/// `run` becomes the row it names, any other exception a `failed:` row.
struct Subject {
  std::string_view question;
  std::string_view contender;
  void (*run)(Port&, const Cell&);
};

/// Whether these arguments make this process a subject (`--subject ROW --port-fd N --measure-ns
/// N`).
[[nodiscard]] bool is_subject(int argc, char** argv);

/// The child's whole life: finds the subject of the row, runs it, and says on the port how it
/// ended. Returns the exit status: 0 after a run (what went wrong was said on the port), 2 for
/// arguments that name no subject.
int run_subject(int argc, char** argv, std::span<const Subject> subjects);

}  // namespace harness
