// SPDX-License-Identifier: BSL-1.0
#include "io/timing_wheel.hpp"

#include <algorithm>
#include <bit>

namespace io {
namespace {

using Tick = TimingWheel::Tick;

constexpr std::uint64_t bit(unsigned slot) {
  return std::uint64_t{1} << slot;
}

constexpr std::size_t ring_of(unsigned level, unsigned slot) {
  return level * TimingWheel::slots + slot;
}

/// Nanoseconds from `start` to `moment`; 0 when it is not later. Unsigned, so that no two moments
/// are too far apart.
std::uint64_t since(TimePoint start, TimePoint moment) {
  if (moment <= start) return 0;
  return static_cast<std::uint64_t>(moment.time_since_epoch().count()) -
         static_cast<std::uint64_t>(start.time_since_epoch().count());
}

TimePoint moment_of(TimePoint start, Tick tick) {
  const Duration offset{static_cast<Duration::rep>(tick << TimingWheel::tick_bits)};
  if (start.time_since_epoch().count() > 0 && offset > never - start) return never;
  return start + offset;
}

}  // namespace

Tick tick_not_before(TimePoint start, TimePoint deadline) noexcept {
  const std::uint64_t offset = since(start, deadline);
  const bool inside = (offset & (bit(TimingWheel::tick_bits) - 1)) != 0;
  return std::min((offset >> TimingWheel::tick_bits) + (inside ? 1 : 0), TimingWheel::last_tick);
}

Tick tick_not_after(TimePoint start, TimePoint now) noexcept {
  return std::min(since(start, now) >> TimingWheel::tick_bits, TimingWheel::last_tick);
}

unsigned level_for(Tick elapsed, Tick due) noexcept {
  // The lowest bit set changes nothing but for equal ticks, which have no level of their own: 0.
  const auto difference_bits = static_cast<unsigned>(std::bit_width((elapsed ^ due) | 1));
  return (difference_bits - 1) / TimingWheel::slot_bits;
}

unsigned slot_for(Tick tick, unsigned level) noexcept {
  return static_cast<unsigned>((tick >> (level * TimingWheel::slot_bits)) % TimingWheel::slots);
}

TimingWheel::TimingWheel(TimePoint start) noexcept : start_{start} {
  for (TimerLink& ring : rings_) ring = {&ring, &ring};
}

void TimingWheel::insert(Timer& timer, TimePoint deadline) noexcept {
  timer.deadline = deadline;
  ++size_;
  place(timer);
}

void TimingWheel::cancel(Timer& timer) noexcept {
  if (!timer.armed()) return;
  unlink(timer);
  --size_;
}

std::size_t TimingWheel::advance(TimePoint now) noexcept {
  const Tick last = tick_not_after(start_, now);
  splice_to_firing(overdue);
  std::size_t fired = fire();
  for (unsigned level = lowest_occupied_level(); level != levels; level = lowest_occupied_level()) {
    const Tick entered = first_occupied_tick(level);
    if (entered > last) break;
    elapsed_ = entered;
    enter_slot(level);
    fired += fire();
  }
  elapsed_ = std::max(elapsed_, last);
  return fired;
}

TimePoint TimingWheel::next_due() const noexcept {
  if (!empty(overdue)) return moment_of(start_, elapsed_);
  const unsigned level = lowest_occupied_level();
  if (level == levels) return never;
  return moment_of(start_, earliest_[ring_of(level, slot_for(first_occupied_tick(level), level))]);
}

void TimingWheel::place(Timer& timer) noexcept {
  if (timer.deadline == never) return link(timer, parked);
  const Tick due = tick_not_before(start_, timer.deadline);
  if (due <= elapsed_) return link(timer, overdue);
  const unsigned level = level_for(elapsed_, due);
  const unsigned slot = slot_for(due, level);
  const std::size_t ring = ring_of(level, slot);
  const bool occupied = (occupied_[level] & bit(slot)) != 0;
  earliest_[ring] = occupied ? std::min(earliest_[ring], due) : due;
  occupied_[level] |= bit(slot);
  link(timer, ring);
}

void TimingWheel::link(Timer& timer, std::size_t ring) noexcept {
  TimerLink& head = rings_[ring];
  timer.previous = head.previous;
  timer.next = &head;
  head.previous->next = &timer;
  head.previous = &timer;
}

void TimingWheel::unlink(Timer& timer) noexcept {
  // The only timer of a ring has the ring's head on both sides.
  if (timer.previous == timer.next) {
    const auto ring = static_cast<std::size_t>(timer.next - rings_.data());
    if (ring < overdue) occupied_[ring / slots] &= ~bit(static_cast<unsigned>(ring % slots));
  }
  timer.previous->next = timer.next;
  timer.next->previous = timer.previous;
  timer.previous = timer.next = nullptr;
}

Timer& TimingWheel::front(std::size_t ring) noexcept {
  return static_cast<Timer&>(*rings_[ring].next);
}

bool TimingWheel::empty(std::size_t ring) const noexcept {
  return rings_[ring].next == &rings_[ring];
}

void TimingWheel::splice_to_firing(std::size_t ring) noexcept {
  if (empty(ring)) return;
  TimerLink& from = rings_[ring];
  TimerLink& to = rings_[firing];
  from.next->previous = to.previous;
  to.previous->next = from.next;
  from.previous->next = &to;
  to.previous = from.previous;
  from = {&from, &from};
}

unsigned TimingWheel::lowest_occupied_level() const noexcept {
  unsigned level = 0;
  while (level < levels && occupied_[level] == 0) ++level;
  return level;
}

// Slots before the current one are empty at every level (their timers would be due), and the digits
// above are the same as now's (else the timer would wait higher up): the lowest bit is the
// earliest.
Tick TimingWheel::first_occupied_tick(unsigned level) const noexcept {
  const unsigned shift = level * slot_bits;
  const auto slot = static_cast<Tick>(std::countr_zero(occupied_[level]));
  return (elapsed_ >> (shift + slot_bits) << (shift + slot_bits)) | (slot << shift);
}

void TimingWheel::enter_slot(unsigned level) noexcept {
  const unsigned slot = slot_for(elapsed_, level);
  const std::size_t ring = ring_of(level, slot);
  if (level == 0) {
    splice_to_firing(ring);
    occupied_[0] &= ~bit(slot);
    return;
  }
  while (!empty(ring)) {
    Timer& timer = front(ring);
    unlink(timer);
    if (tick_not_before(start_, timer.deadline) == elapsed_) {
      link(timer, firing);
    } else {
      place(timer);
    }
  }
}

std::size_t TimingWheel::fire() noexcept {
  std::size_t fired = 0;
  for (; !empty(firing); ++fired) {
    Timer& timer = front(firing);
    unlink(timer);
    --size_;
    timer.notify(timer);
  }
  return fired;
}

}  // namespace io
