// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace harness::floors {

/// `floor-futex`: two threads hand the baton to each other, each waiting on a futex word of its
/// own. The word has three states (empty, set, awaited), so a hop goes into the kernel only to
/// sleep and only to end a sleep (Drepper, "Futexes Are Tricky"), as a good event does.
class FutexPair {
 public:
  /// The partner's thread takes the second of the CPUs that the caller may run on when the two are
  /// `apart` (the caller takes the first), else both take the first. Throws std::system_error.
  explicit FutexPair(bool apart);
  ~FutexPair();
  FutexPair(const FutexPair&) = delete;
  FutexPair& operator=(const FutexPair&) = delete;

  /// By the thread that made it, which is task 0. An odd number of hops is rounded up.
  void pass(std::uint64_t hops) noexcept;
  [[nodiscard]] std::size_t tasks() const noexcept { return 2; }
  [[nodiscard]] std::uint64_t visits(std::size_t task) const noexcept {
    return seats_[task].visits;
  }
  /// Of futex, by both.
  [[nodiscard]] std::uint64_t calls() const noexcept {
    return seats_[caller].calls.load(std::memory_order_relaxed) +
           seats_[partner].calls.load(std::memory_order_relaxed);
  }

 private:
  enum Place : std::size_t { caller, partner };
  enum State : std::uint32_t { empty, set, awaited };

  struct Seat {
    std::atomic<std::uint32_t> word{empty};
    std::uint64_t visits = 0;
    std::atomic<std::uint64_t> calls{0};  ///< made by who sits here
  };

  void give(Place from, Place to) noexcept;
  void take(Place self) noexcept;
  void accompany() noexcept;

  Seat seats_[2];
  bool over_ = false;  ///< written with the baton in hand
  std::thread partner_;
};

}  // namespace harness::floors
