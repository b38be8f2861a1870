// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <new>

#include "stackless/child_set.hpp"
#include "stackless/fault.hpp"
#include "stackless/future.hpp"
#include "stackless/one_of.hpp"

namespace stackless {

/// A child of a dynamic join. The waker stays when the future goes.
template <Future F>
struct Child : ChildWaker {
  using ChildWaker::ChildWaker;
  OneOf<F> future;
};

/// What a dynamic join needs: the set, then its children. Kept until the last waker of a child is
/// gone.
template <Future F>
class alignas(Child<F>) JoinMemory : public ChildSet {
 public:
  /// One allocation for all children.
  static JoinMemory& allocate(std::size_t children) {
    return *::new (::operator new (bytes(children), std::align_val_t{alignof(JoinMemory)}))
        JoinMemory{&JoinMemory::deallocate, nullptr};
  }
  static constexpr std::size_t bytes(std::size_t children) noexcept {
    return sizeof(JoinMemory) + children * sizeof(Child<F>);
  }
  /// Where the first child is, or is to be made.
  [[nodiscard]] Child<F>* children() noexcept { return reinterpret_cast<Child<F>*>(this + 1); }

 private:
  template <Future, std::size_t>
  friend class JoinBlock;

  JoinMemory(Free free, std::atomic<bool>* in_use) noexcept : ChildSet{free}, in_use_{in_use} {}
  static void deallocate(ChildSet& set) noexcept {
    ::operator delete (static_cast<JoinMemory*>(&set), std::align_val_t{alignof(JoinMemory)});
  }
  static void give_back(ChildSet& set) noexcept {
    static_cast<JoinMemory&>(set).in_use_->store(false, std::memory_order_release);
  }

  std::atomic<bool>* in_use_;  // of the block, where there is one
};

/// The memory of a dynamic join that nobody allocates: for a static arena, or a room's life. One
/// join at a time. Outlives every waker that the children have given away, else it is a fault.
/// Freestanding.
template <Future F, std::size_t Capacity>
class JoinBlock {
 public:
  JoinBlock() = default;
  ~JoinBlock() {
    if (in_use()) fault("a waker of a child has outlived its block");
  }
  JoinBlock(const JoinBlock&) = delete;
  JoinBlock& operator=(const JoinBlock&) = delete;

  /// Whether a join, or a waker of one that has ended, still needs it.
  [[nodiscard]] bool in_use() const noexcept { return in_use_.load(std::memory_order_acquire); }

  /// For one join; a fault when it is in use or too small.
  JoinMemory<F>& take(std::size_t children) {
    if (in_use()) fault("a block serves one dynamic join at a time");
    if (children > Capacity) fault("a block is too small for a dynamic join");
    in_use_.store(true, std::memory_order_relaxed);
    return *::new (static_cast<void*>(room_)) JoinMemory<F>{&JoinMemory<F>::give_back, &in_use_};
  }

 private:
  alignas(JoinMemory<F>) std::byte room_[JoinMemory<F>::bytes(Capacity)];
  std::atomic<bool> in_use_{false};
};

}  // namespace stackless
