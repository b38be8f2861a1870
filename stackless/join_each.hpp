// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "stackless/fault.hpp"
#include "stackless/future.hpp"
#include "stackless/join_memory.hpp"
#include "stackless/output.hpp"
#include "stackless/scope_guard.hpp"

namespace stackless {

/// Makes the future of the child with that number.
template <class M>
concept ChildFactory =
    std::invocable<M&, std::size_t> && Future<std::invoke_result_t<M&, std::size_t>>;

template <ChildFactory M>
using ChildOf = std::invoke_result_t<M&, std::size_t>;

/// Any number of futures at once, inside one task. Each is woken alone: a poll polls only those
/// that have been woken. An exception that leaves a child leaves the poll; nothing is to be
/// expected of the join then but to be dropped.
template <Future F, class OnOutput>
class JoinEach {
 public:
  using Output = void;

  template <class Make>
  JoinEach(JoinMemory<F>& memory, std::size_t count, Make& make, OnOutput on_output)
      : memory_{&memory}, on_output_{std::move(on_output)} {
    ScopeGuard undo{[this] {
      if (left_ != count_) end();  // a factory has thrown
    }};
    for (left_ = count; count_ != count; ++count_) begin(make);
  }
  ~JoinEach() {
    if (memory_ != nullptr) end();
  }
  JoinEach(const JoinEach&) = delete;
  JoinEach& operator=(const JoinEach&) = delete;

  Poll<void> poll(Context& context) {
    if (memory_ == nullptr) polled_after_completion();
    memory_->await(context.waker());
    memory_->take_woken(
        [&](ChildWaker& woken) { poll_child(static_cast<Child<F>&>(woken), context); });
    if (left_ != 0) return pending;
    end();
    return ready;
  }

 private:
  template <class Make>
  void begin(Make& make) {
    Child<F>* const child =
        ::new (static_cast<void*>(memory_->children() + count_)) Child<F>{*memory_};
    child->future.template emplace<0>([&] { return make(count_); });
    memory_->wake(*child);
  }
  void poll_child(Child<F>& child, Context& context) {
    if (child.future.empty()) return;  // woken after its end
    const BorrowedWaker waker{child};
    ChildContext of_child{waker.waker(), context};
    Poll<OutputOf<F>> polled = child.future.template get<0>().poll(of_child);
    if (polled.is_pending()) return;
    child.future.reset();
    --left_;
    on_output_(static_cast<std::size_t>(&child - memory_->children()), take_value(polled));
  }
  /// The last one first.
  void end() noexcept {
    while (count_ != 0) memory_->children()[--count_].future.reset();
    std::exchange(memory_, nullptr)->leave();
  }

  JoinMemory<F>* memory_;
  std::size_t count_ = 0;
  std::size_t left_ = 0;
  [[no_unique_address]] OnOutput on_output_;
};

/// `join_each(block, 10, [&](std::size_t i) { return read(i); }, [&](std::size_t i, int got) { …
/// })`: calls with each output (`Unit` for none) as it comes. Allocates nothing; freestanding.
template <ChildFactory Make, std::size_t Capacity, class OnOutput>
[[nodiscard]] JoinEach<ChildOf<Make>, OnOutput> join_each(JoinBlock<ChildOf<Make>, Capacity>& block,
                                                          std::size_t count, Make&& make,
                                                          OnOutput on_output) {
  return {block.take(count), count, make, std::move(on_output)};
}

/// The same in memory of its own: one allocation, whatever the number.
template <ChildFactory Make, class OnOutput>
[[nodiscard]] JoinEach<ChildOf<Make>, OnOutput> join_each(std::size_t count, Make&& make,
                                                          OnOutput on_output) {
  return {JoinMemory<ChildOf<Make>>::allocate(count), count, make, std::move(on_output)};
}

}  // namespace stackless
