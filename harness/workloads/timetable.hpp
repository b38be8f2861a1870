// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "harness/cell.hpp"
#include "harness/resource_usage.hpp"
#include "harness/shared_histogram.hpp"
#include "harness/subject.hpp"
#include "io/clock.hpp"

namespace harness {

/// When each of N tasks is to wake, and how late it did. All contenders keep to this one table:
///
///     while (const auto deadline = seat.next()) sleep_until(*deadline);
///
/// The schedule is absolute. Periodic: every task once a period, their phases spread evenly over
/// the period in no order; a period that has passed before the task could ask for it is missed:
/// counted, not made up for. One-shot: every task once in all, spread over the window in the same
/// way. Tasks come together first, by naps, so that what making them cost is not in their lateness;
/// and each sleeps once more after the last deadline that counts, as if it went on, so that all are
/// asleep at both ends of the window: what they cost in it is as many firings as goings to sleep,
/// and no task's end.
class Timetable {
 public:
  struct Plan {
    std::size_t tasks = 0;
    io::Duration period{};   ///< zero: one-shot
    io::Duration warm_up{};  ///< deadlines in it are kept, and not counted
    io::Duration window{};   ///< whose deadlines count

    /// Of a row: `tasks:N` with `period_us:P` or `oneshot_us:W`. Throws Failure for neither or
    /// both.
    static Plan of(const Cell& cell, std::chrono::nanoseconds measure_for);
  };

  /// A task's place; only that task touches it.
  class Seat {
   public:
    Seat(Timetable& table, std::size_t number) noexcept : table_{&table}, number_{number} {}

    /// What the task sleeps until next; calling says that it has slept until the last one. Empty:
    /// it is done.
    std::optional<io::TimePoint> next();

   private:
    enum class Stage : std::uint8_t { absent, napping, keeping_time, leaving };

    std::optional<io::TimePoint> nap(io::TimePoint now);
    std::optional<io::TimePoint> at_deadline_or_last();
    void advance(io::TimePoint now);

    Timetable* table_;
    std::size_t number_;
    io::TimePoint deadline_{};
    Stage stage_ = Stage::absent;
  };

  explicit Timetable(const Plan& plan);
  Timetable(const Timetable&) = delete;
  Timetable& operator=(const Timetable&) = delete;

  [[nodiscard]] std::vector<Seat>& seats() noexcept { return seats_; }
  /// After all tasks are done: the figures, or the `wrong:` row when a timer fired early, or not as
  /// often as planned less missed.
  void report(Port& port, SystemCallCount calls) const;
  /// The deadlines that count, missed ones included.
  [[nodiscard]] std::uint64_t planned() const;

 private:
  /// One end of the window.
  struct Edge {
    std::optional<ResourceUsage> usage;
    std::uint64_t fired = 0;
  };

  void arrive(io::TimePoint now) noexcept;
  [[nodiscard]] io::TimePoint first_deadline(std::size_t number) const;
  [[nodiscard]] io::TimePoint counted_from() const { return begin() + plan_.warm_up; }
  [[nodiscard]] io::TimePoint counted_to() const { return counted_from() + plan_.window; }
  [[nodiscard]] io::TimePoint begin() const { return io::TimePoint{io::Duration{begin_.load()}}; }
  void record(io::TimePoint deadline, io::TimePoint now);
  void miss(std::uint64_t deadlines);
  void leave();

  static constexpr io::Duration::rep not_begun = io::Duration::rep{-1};

  const Plan plan_;
  const std::size_t stride_;  // between the phases of neighbours, in places; coprime to the tasks
  const io::TimePoint made_;
  std::atomic<std::size_t> here_{0};
  std::atomic<io::Duration::rep> begin_{not_begun};
  std::vector<Seat> seats_;

  // No lock at a firing: only threads could wait for one another at it, and their calls would count
  // as theirs.
  SharedHistogram lateness_;
  std::atomic<std::uint64_t> missed_{0};
  std::atomic<io::Duration::rep> earliest_{0};  // a negative lateness
  std::atomic<std::size_t> left_{0};
  std::once_flag opened_;
  std::once_flag closed_;
  Edge before_;  // of whoever opens the window
  Edge after_;   // of whoever closes it
};

/// How many of `first`, `first + period`, … lie in [from, to). A period of zero: `first` alone.
[[nodiscard]] std::uint64_t deadlines_between(io::TimePoint first, io::Duration period,
                                              io::TimePoint from, io::TimePoint to);
/// A number near the golden section of `count` that shares no divisor with it: its multiples visit
/// every place below `count` once, neighbours far apart.
[[nodiscard]] std::size_t scattering_stride(std::size_t count);

}  // namespace harness
