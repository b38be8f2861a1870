// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <pthread.h>
#include <type_traits>

namespace io {

/// Numbers that every thread counts up for itself, with a load and a store, and that anyone may sum
/// up. To be counted costs a thread no allocation: what it holds is a thread-local object of
/// trivial destruction, and its end is told by a pthread key, which a destructor of C++ would have
/// to register on the heap. (Beyond the first 32 keys of a process the C library would, too.)
///
///     constinit io::ThreadTally<2> tally;
///     thread_local constinit io::ThreadTally<2>::Share mine;
///     tally.add(mine, 1);
///
/// A tally is constant-initialised and trivially destroyed, hence usable before main and after it,
/// and in the destructors of an ending thread.
template <std::size_t kinds>
class ThreadTally {
  using Counters = std::array<std::atomic<std::uint64_t>, kinds>;
  enum class Stage : std::uint8_t { unknown, listed, retired };

 public:
  using Numbers = std::array<std::uint64_t, kinds>;

  /// What one thread has counted.
  class Share {
    friend class ThreadTally;
    Counters made_{};
    ThreadTally* tally_ = nullptr;
    Share* next_ = nullptr;
    Share* previous_ = nullptr;
    Stage stage_ = Stage::unknown;
  };

  constexpr ThreadTally() noexcept { static_assert(std::is_trivially_destructible_v<ThreadTally>); }

  /// Adds to one kind; `mine` is this thread's. Not in a signal handler.
  void add(Share& mine, std::size_t kind, std::uint64_t amount = 1) noexcept {
    if (!counts_alone(mine)) [[unlikely]] {
      return add_shared(kind, amount);
    }
    add_alone(mine, kind, amount);
  }
  /// The same for all kinds at once.
  void add(Share& mine, const Numbers& amounts) noexcept {
    const bool alone = counts_alone(mine);
    for (std::size_t kind = 0; kind != kinds; ++kind) {
      alone ? add_alone(mine, kind, amounts[kind]) : add_shared(kind, amounts[kind]);
    }
  }
  /// The same by an atomic addition to what all threads share: for signal handlers.
  void add_shared(std::size_t kind, std::uint64_t amount = 1) noexcept {
    shared_[kind].fetch_add(amount, std::memory_order_relaxed);
  }
  /// Of every thread, those that have ended included. Any thread at any time.
  [[nodiscard]] Numbers sum() noexcept {
    const std::lock_guard lock{mutex_};
    Numbers sum;
    for (std::size_t kind = 0; kind != kinds; ++kind) {
      sum[kind] = shared_[kind].load(std::memory_order_relaxed);
      for (const Share* each = living_; each != nullptr; each = each->next_) {
        sum[kind] += each->made_[kind].load(std::memory_order_relaxed);
      }
    }
    return sum;
  }

 private:
  bool counts_alone(Share& mine) noexcept { return mine.stage_ == Stage::listed || enlist(mine); }
  static void add_alone(Share& mine, std::size_t kind, std::uint64_t amount) noexcept {
    auto& made = mine.made_[kind];
    made.store(made.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  /// False: the thread has had its end, or cannot be told of it, and counts with all others. Kept
  /// out of its callers, which are on everybody's way: once a thread is enough.
  [[gnu::noinline, gnu::cold]] bool enlist(Share& mine) noexcept {
    if (mine.stage_ == Stage::retired) return false;
    const std::lock_guard lock{mutex_};
    has_key_ = has_key_ || pthread_key_create(&key_, &retire) == 0;
    if (!has_key_ || pthread_setspecific(key_, &mine) != 0) {
      mine.stage_ = Stage::retired;
      return false;
    }
    mine.tally_ = this;
    mine.next_ = living_;
    if (living_ != nullptr) living_->previous_ = &mine;
    living_ = &mine;
    mine.stage_ = Stage::listed;
    return true;
  }

  static void retire(void* share) noexcept {
    Share& mine = *static_cast<Share*>(share);
    ThreadTally& tally = *mine.tally_;
    const std::lock_guard lock{tally.mutex_};
    for (std::size_t kind = 0; kind != kinds; ++kind) {
      tally.shared_[kind].fetch_add(mine.made_[kind].load(std::memory_order_relaxed),
                                    std::memory_order_relaxed);
    }
    if (mine.next_ != nullptr) mine.next_->previous_ = mine.previous_;
    (mine.previous_ != nullptr ? mine.previous_->next_ : tally.living_) = mine.next_;
    mine.stage_ = Stage::retired;
  }

  std::mutex mutex_;  ///< guards the list, and the move of a share to what is shared
  Share* living_ = nullptr;
  Counters shared_{};  ///< of threads that have ended, and of signal handlers
  pthread_key_t key_{};
  bool has_key_ = false;
};

}  // namespace io
