// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "stackless/future.hpp"
#include "stackless/waker.hpp"

namespace stackless {

/// Room for one task, and its state. A slot is free before its future is made, and again when that
/// is gone for good and nobody holds a waker.
template <std::size_t Bytes>
class FixedSlot : public Wakeable {
 public:
  FixedSlot() noexcept : Wakeable{&table} {}

 private:
  template <std::size_t, std::size_t>
  friend class FixedExecutor;

  using Woken = std::atomic<FixedSlot*>;

  void wake() noexcept {
    if (scheduled_.exchange(true, std::memory_order_acq_rel)) return;
    next_ = scheduled_slots_->load(std::memory_order_relaxed);
    while (!scheduled_slots_->compare_exchange_weak(next_, this, std::memory_order_acq_rel,
                                                    std::memory_order_relaxed)) {
    }
  }

  static FixedSlot& self(Wakeable& target) noexcept { return static_cast<FixedSlot&>(target); }
  static void clone(Wakeable& target) noexcept {
    self(target).references_.fetch_add(1, std::memory_order_relaxed);
  }
  static void wake_by_ref(Wakeable& target) noexcept { self(target).wake(); }
  static void drop(Wakeable& target) noexcept {
    self(target).references_.fetch_sub(1, std::memory_order_acq_rel);
  }
  static void wake_and_drop(Wakeable& target) noexcept {
    wake_by_ref(target);
    drop(target);
  }
  static constexpr WakerOperations table{&clone, &wake_and_drop, &wake_by_ref, &drop};

  Woken* scheduled_slots_ = nullptr;
  FixedSlot* next_ = nullptr;
  bool (*poll_)(void*, Context&) = nullptr;  // nullptr: no future to be polled
  void (*drop_)(void*) noexcept = nullptr;
  std::atomic<std::uint32_t> references_{0};
  std::atomic<bool> scheduled_{false};
  bool reserved_ = false;  // from before its future is made until that has been dropped
  alignas(std::max_align_t) std::byte room_[Bytes];
};

/// An executor for a machine without allocator and operating system: `Capacity` tasks of at most
/// `Bytes` each, in place. A waker may be used from an interrupt or another thread; the executor is
/// driven by one. Freestanding: no exceptions, no RTTI, no library but headers.
///
///     while (executor.live_tasks() != 0) {
///       if (!executor.poll_woken()) wait_for_interrupt();
///     }
template <std::size_t Capacity, std::size_t Bytes>
class FixedExecutor {
 public:
  FixedExecutor() noexcept {
    for (Slot& slot : slots_) slot.scheduled_slots_ = &scheduled_;
  }
  /// Drops the futures of all tasks. No waker may outlive it.
  ~FixedExecutor() {
    closing_ = true;
    for (Slot& slot : slots_) end(slot);
  }
  FixedExecutor(const FixedExecutor&) = delete;
  FixedExecutor& operator=(const FixedExecutor&) = delete;

  /// Makes a task of the future that `make` returns, in a free slot; false when there is none, or
  /// the executor is being destroyed.
  template <FutureFactory Make>
  [[nodiscard]] bool spawn(Make&& make) noexcept(noexcept(make())) {
    using F = FutureOf<Make>;
    static_assert(sizeof(F) <= Bytes, "the future does not fit a slot");
    static_assert(alignof(F) <= alignof(std::max_align_t));
    Slot* const slot = closing_ ? nullptr : free_slot();
    if (slot == nullptr) return false;
    Reservation reservation{*slot};
    ::new (static_cast<void*>(slot->room_)) F(make());
    reservation.keep();
    slot->poll_ = [](void* room, Context& context) {
      return static_cast<F*>(room)->poll(context).is_ready();
    };
    slot->drop_ = [](void* room) noexcept {
      static_cast<F*>(room)->~F();
    };
    ++live_tasks_;
    slot->wake();
    return true;
  }

  /// Polls the tasks that have been woken, in the order of waking, each once; whoever is woken
  /// meanwhile waits for the next time. False: there was none.
  bool poll_woken() {
    Slot* slot = oldest_first(scheduled_.exchange(nullptr, std::memory_order_acq_rel));
    const bool any = slot != nullptr;
    while (slot != nullptr) {
      Slot* const next = slot->next_;
      slot->scheduled_.exchange(false, std::memory_order_acq_rel);  // sees what its waker wrote
      poll(*slot);
      slot = next;
    }
    return any;
  }

  [[nodiscard]] std::size_t live_tasks() const noexcept { return live_tasks_; }

 private:
  using Slot = FixedSlot<Bytes>;

  /// Gives the slot back if the factory throws.
  class Reservation {
   public:
    explicit Reservation(Slot& slot) noexcept : slot_{&slot} { slot.reserved_ = true; }
    ~Reservation() {
      if (slot_ != nullptr) slot_->reserved_ = false;
    }
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;
    void keep() noexcept { slot_ = nullptr; }

   private:
    Slot* slot_;
  };

  Slot* free_slot() noexcept {
    for (Slot& slot : slots_) {
      const bool in_use = slot.reserved_ || slot.scheduled_.load(std::memory_order_acquire) ||
                          slot.references_.load(std::memory_order_acquire) != 0;
      if (!in_use) return &slot;
    }
    return nullptr;
  }
  void poll(Slot& slot) {
    if (slot.poll_ == nullptr) return;  // woken after its end
    const BorrowedWaker waker{slot};
    Context context{waker.waker()};
    if (slot.poll_(slot.room_, context)) end(slot);
  }
  void end(Slot& slot) noexcept {
    if (slot.poll_ == nullptr) return;
    slot.poll_ = nullptr;
    slot.drop_(slot.room_);
    slot.reserved_ = false;
    --live_tasks_;
  }
  static Slot* oldest_first(Slot* newest) noexcept {
    Slot* oldest = nullptr;
    while (newest != nullptr) {
      Slot* const next = std::exchange(newest->next_, oldest);
      oldest = std::exchange(newest, next);
    }
    return oldest;
  }

  typename Slot::Woken scheduled_{nullptr};
  std::size_t live_tasks_ = 0;
  bool closing_ = false;
  Slot slots_[Capacity];
};

}  // namespace stackless
