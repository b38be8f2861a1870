// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstdint>

namespace stackless {

/// What threads other than the owner's ask of a task: one atomic word that the owner collects when
/// it finds the task in its inbox. References are counted twice: plainly by the owner, and here by
/// everybody else (after Choi, Shull and Torrellas, "Biased reference counting", 2018). A reference
/// that another thread gives back stays counted until the owner collects it, so the task outlives
/// the way to the inbox.
///
///     bit 63 ........ 32 | 31 .............. 3 | 2         | 1     | 0
///     references cloned  | references dropped  | cancelled | woken | orphan
///
/// Any of the middle three set: the task is in the inbox, or on its way there. An orphan has
/// outlived its executor: the upper half counts all its references, and whoever drops the last one
/// frees it.
class RemoteState {
 public:
  /// What the caller has to do after asking.
  enum class Duty { none, post, free };
  struct Collected {
    bool woken;
    bool cancelled;
    std::int32_t references;  ///< cloned less dropped
  };

  void clone() noexcept { word_.fetch_add(one_clone, std::memory_order_relaxed); }
  /// The caller holds a reference throughout.
  [[nodiscard]] Duty wake() noexcept { return ask(woken, 0); }
  [[nodiscard]] Duty cancel() noexcept { return ask(cancelled, 0); }
  [[nodiscard]] Duty drop() noexcept { return ask(0, one_drop); }
  [[nodiscard]] Duty wake_and_drop() noexcept { return ask(woken, one_drop); }

  /// Owner only. An exchange, so that what any waker wrote before it asked is visible to the poll.
  [[nodiscard]] Collected collect() noexcept {
    return unpack(word_.exchange(0, std::memory_order_acq_rel));
  }
  /// Owner only: whether no other thread holds or has asked anything, given `local` references.
  [[nodiscard]] bool is_last(std::int32_t local) const noexcept {
    const std::uint64_t word = word_.load(std::memory_order_acquire);
    return (word & asked) == 0 && local + unpack(word).references == 0;
  }
  /// Owner only, as its executor ends: hands its `local` references over. False: a post is under
  /// way, deliver it and try again.
  [[nodiscard]] bool orphan(std::int32_t local) noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    do {
      if ((word & asked) != 0) return false;
    } while (!word_.compare_exchange_weak(word, orphaned | total(word, local),
                                          std::memory_order_acq_rel, std::memory_order_relaxed));
    return true;
  }

 private:
  static constexpr std::uint64_t orphaned = 1;
  static constexpr std::uint64_t woken = 2;
  static constexpr std::uint64_t cancelled = 4;
  static constexpr std::uint64_t one_drop = 8;
  static constexpr std::uint64_t one_clone = std::uint64_t{1} << 32;
  static constexpr std::uint64_t drops = one_clone - one_drop;
  static constexpr std::uint64_t asked = woken | cancelled | drops;

  static Collected unpack(std::uint64_t word) noexcept {
    const auto cloned = static_cast<std::int32_t>(word >> 32);
    const auto dropped = static_cast<std::int32_t>((word & drops) / one_drop);
    return {(word & woken) != 0, (word & cancelled) != 0, cloned - dropped};
  }
  static std::uint64_t total(std::uint64_t word, std::int32_t local) noexcept {
    return static_cast<std::uint64_t>(unpack(word).references + local) * one_clone;
  }

  Duty ask(std::uint64_t flag, std::uint64_t drop) noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    while (true) {
      const bool is_orphan = (word & orphaned) != 0;
      const std::uint64_t next =
          is_orphan ? word - (drop != 0 ? one_clone : 0) : (word | flag) + drop;
      if (!word_.compare_exchange_weak(word, next, std::memory_order_acq_rel,
                                       std::memory_order_relaxed)) {
        continue;
      }
      if (is_orphan) return next == orphaned ? Duty::free : Duty::none;
      return (word & asked) == 0 ? Duty::post : Duty::none;
    }
  }

  std::atomic<std::uint64_t> word_{0};
};

}  // namespace stackless
