// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "io/clock.hpp"
#include "io/waiter.hpp"

namespace io {

/// A place in a ring of timers.
struct TimerLink {
  TimerLink* previous = nullptr;
  TimerLink* next = nullptr;
};

/// One deadline. Intrusive: lives in whoever sleeps, must stay put while armed.
struct Timer : Waiter, TimerLink {
  TimePoint deadline{};

  [[nodiscard]] bool armed() const noexcept { return previous != nullptr; }
};
static_assert(sizeof(Timer) <= 40, "a sleeping task pays for this");

/// A hierarchical timing wheel (Varghese and Lauck, "Hashed and hierarchical timing wheels", 1987).
///
/// Time is cut into ticks of 2^15 ns. A timer is due at the first tick boundary not before its
/// deadline, so it never fires early, and at most one tick late on the wheel's account. Each level
/// has 64 slots, each as wide as all of the level below:
///
///  * level 0: 64 slots of  32.8 us, together   2.1 ms
///  * level 1: 64 slots of   2.1 ms, together 134   ms
///  * level 2: 64 slots of 134   ms, together   8.6 s
///  * level 3: 64 slots of   8.6 s,  together   9.2 minutes
///  * level 4: 64 slots of   9.2 minutes, together 9.8 hours
///  * level 5: 64 slots of   9.8 hours,   together  26 days
///  * level 6: 64 slots of  26   days,    together 4.6 years
///  * level 7: 64 slots of 4.6   years,   together 292 years: all that a TimePoint can tell
///
/// A timer waits at the level of the highest base-64 digit in which its tick differs from the tick
/// now. When time enters a slot of a higher level, that slot's timers move down (a cascade): each
/// timer does so at most 7 times. One bit a slot says whether it is occupied.
///
/// Belongs to one thread. Timers still armed when the wheel is destroyed are forgotten, not fired.
class TimingWheel {
 public:
  explicit TimingWheel(TimePoint start) noexcept;
  TimingWheel(const TimingWheel&) = delete;
  TimingWheel& operator=(const TimingWheel&) = delete;

  /// Arms `timer`, which is not armed, for `deadline`; O(1). A deadline in the past fires at the
  /// next advance; `never` is armed and does not fire.
  void insert(Timer& timer, TimePoint deadline) noexcept;
  /// Disarms; O(1); nothing happens for one that is not armed.
  void cancel(Timer& timer) noexcept;
  /// Notifies every timer whose tick boundary is at or before `now`, never early; returns how many.
  /// A timer is disarmed before it is notified, and not touched after: `notify` may insert and
  /// cancel any timer. `now` does not go back.
  std::size_t advance(TimePoint now) noexcept;
  /// The tick boundary at which the earliest timer is due; `never` when none will be. Can be
  /// earlier when the earliest has been cancelled, never later. A cascade alone wakes nobody.
  [[nodiscard]] TimePoint next_due() const noexcept;
  /// How many timers are armed.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  using Tick = std::uint64_t;
  static constexpr unsigned tick_bits = 15;
  static constexpr Duration tick{Duration::rep{1} << tick_bits};
  static constexpr unsigned slot_bits = 6;
  static constexpr std::size_t slots = std::size_t{1} << slot_bits;
  static constexpr unsigned levels = 8;
  static constexpr Tick last_tick = (Tick{1} << (slot_bits * levels)) - 1;

 private:
  // Rings beside the slots. `overdue`: the past, for the next advance. `firing`: of this advance.
  enum Ring : std::size_t { overdue = levels * slots, firing, parked, rings };

  void place(Timer& timer) noexcept;
  void link(Timer& timer, std::size_t ring) noexcept;
  void unlink(Timer& timer) noexcept;
  Timer& front(std::size_t ring) noexcept;
  [[nodiscard]] bool empty(std::size_t ring) const noexcept;
  void splice_to_firing(std::size_t ring) noexcept;
  [[nodiscard]] unsigned lowest_occupied_level() const noexcept;
  [[nodiscard]] Tick first_occupied_tick(unsigned level) const noexcept;
  void enter_slot(unsigned level) noexcept;
  std::size_t fire() noexcept;

  TimePoint start_;
  Tick elapsed_ = 0;  // every tick up to this one has been entered
  std::size_t size_ = 0;
  std::array<std::uint64_t, levels> occupied_{};
  std::array<Tick, levels * slots> earliest_{};  // in each occupied slot: none is due before
  std::array<TimerLink, rings> rings_;
};

/// The first tick boundary, counted from `start`, that is not before `deadline`.
[[nodiscard]] TimingWheel::Tick tick_not_before(TimePoint start, TimePoint deadline) noexcept;
/// The last tick boundary that is not after `now`.
[[nodiscard]] TimingWheel::Tick tick_not_after(TimePoint start, TimePoint now) noexcept;
/// The level at which a timer due at `due` waits while `elapsed < due` is the tick now.
[[nodiscard]] unsigned level_for(TimingWheel::Tick elapsed, TimingWheel::Tick due) noexcept;
/// The base-64 digit of `tick` at `level`: the slot.
[[nodiscard]] unsigned slot_for(TimingWheel::Tick tick, unsigned level) noexcept;

}  // namespace io
