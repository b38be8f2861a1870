// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// Times wake-ups across CPUs, one by one: from just before one thread sets off to wake a sleeper
/// until the sleeper runs, by the one clock that all CPUs share.
///
///     const auto outside = bell.ring_from_the_other_cpu([&] { event.set(); });
///     do { event.wait(); } while (bell.answer());
///
/// Between a wake and the next there is a rest, spun away outside, in which the sleeper falls
/// asleep again. The first wakes warm everything up and are forgotten.
class Doorbell {
 public:
  static constexpr std::chrono::nanoseconds rest = std::chrono::microseconds{50};

  explicit Doorbell(std::chrono::nanoseconds measure_for);

  /// Keeps the caller, who sleeps or starts who does, on the second of its CPUs, and rings from the
  /// first, until the time is used up, and once more to say that it is over. Throws Failure
  /// (`refused:`) where there is one CPU only, and what starting a thread throws.
  [[nodiscard]] std::jthread ring_from_the_other_cpu(std::function<void()> set);
  /// The sleeper, as soon as it is awake. False: it is over.
  bool answer() noexcept;

  /// Wakes that were asked for so far, warming up included.
  [[nodiscard]] std::uint64_t rung() const noexcept { return rung_; }
  /// Sends `ns_per_wake` of every wake that counts. `wrong:` when there is none.
  void report(Port& port) const;
  /// The same, and `syscalls_per_wake`, as io/ and the rooms count them: two when the sleeper was
  /// asleep in the kernel each time, one to wake it and one that it slept in.
  void report_with_calls(Port& port) const;

 private:
  using Clock = std::chrono::steady_clock;

  void ring(const std::function<void()>& set);
  void ring_once(const std::function<void()>& set);
  [[nodiscard]] bool time_left() const;

  std::chrono::nanoseconds measure_for_;
  Clock::time_point began_;
  std::uint64_t calls_before_ = 0;
  std::uint64_t calls_after_ = 0;
  // Handed over with the wake, and back with the answer.
  Clock::time_point rung_at_;
  std::uint64_t rung_ = 0;
  bool over_ = false;
  std::vector<double> took_ns_;
  std::atomic<std::uint64_t> answered_{0};
};

}  // namespace harness
