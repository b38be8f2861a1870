// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace harness::floors {

/// `floor-futex`: two threads hand the baton to each other through one futex word. A hop is a
/// store, a wake and a wait.
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
  [[nodiscard]] std::uint64_t visits(std::size_t task) const noexcept { return visits_[task]; }

 private:
  enum Holder : std::uint32_t { caller, partner, nobody };

  void give(Holder next) noexcept;
  Holder await_other_than(Holder other) noexcept;
  void accompany() noexcept;

  std::atomic<std::uint32_t> holder_{caller};
  std::uint64_t visits_[2] = {};
  std::thread partner_;
};

}  // namespace harness::floors
