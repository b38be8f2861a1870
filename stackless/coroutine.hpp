// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "stackless/chain.hpp"
#include "stackless/fault.hpp"
#include "stackless/future.hpp"

namespace stackless {

template <class T>
class Promise;

/// A coroutine as a future like any other: lazy, immovable, polled; destroying it destroys its
/// frame and all frames it awaits. Inside, `co_await` takes any future, as a temporary or by name,
/// and other coroutines. One allocation a frame (unless the compiler elides it).
///
/// Arguments are kept in the frame as they are declared: take by value what the caller may destroy.
/// A lambda's captures are not kept: give the lambda arguments instead. Inside a `co_await`
/// expression GCC 12 destroys twice whatever is captured by value in a lambda written there, or
/// held by an aggregate made there: name it before, or capture references.
template <class T = void>
class [[nodiscard]] Async {
 public:
  using Output = T;
  using promise_type = Promise<T>;
  using Frame = std::coroutine_handle<Promise<T>>;

  Async(Frame frame) noexcept : frame_{frame} {}
  ~Async() {
    if (frame_) frame_.destroy();
  }
  Async(const Async&) = delete;
  Async& operator=(const Async&) = delete;

  /// Runs until the chain of coroutines ends or awaits a future that is pending. An exception that
  /// leaves the coroutine leaves here.
  Poll<T> poll(Context& context) {
    if (!frame_) polled_after_completion();
    Promise<T>& promise = frame_.promise();
    Chain chain{context};
    if (!promise.drive(frame_, chain)) return pending;
    const Finished finished{*this};
    if constexpr (std::is_void_v<T>) {
      promise.take();
      return ready;
    } else {
      return promise.take();
    }
  }

 private:
  template <class>
  friend class ChildAwaiter;

  struct Finished {  // the frame goes as soon as its result has been taken
    Async& async;
    ~Finished() { std::exchange(async.frame_, nullptr).destroy(); }
  };

  Frame frame_;
};

/// Awaits a coroutine from within a coroutine: both run in the same drive, neither polls the other.
template <class T>
class ChildAwaiter {
 public:
  explicit ChildAwaiter(Async<T>& child) noexcept : child_{child.frame_} {
    if (!child_) polled_after_completion();
  }

  [[nodiscard]] static bool await_ready() noexcept { return false; }
  template <std::derived_from<ChainedPromise> P>
  void await_suspend(std::coroutine_handle<P> parent) noexcept {
    child_.promise().begin_after(parent, parent.promise(), child_);
  }
  T await_resume() { return child_.promise().take(); }

 private:
  typename Async<T>::Frame child_;
};

/// Awaits a plain future. It is polled first without leaving the coroutine for good, and later by
/// the chain's root without resuming the coroutine, which goes on only when there is an output.
template <Future F, class P>
class FutureAwaiter : Leaf {
 public:
  explicit FutureAwaiter(F& future) noexcept : Leaf{&FutureAwaiter::poll_leaf}, future_{future} {}

  [[nodiscard]] static bool await_ready() noexcept { return false; }
  bool await_suspend(std::coroutine_handle<P> self) {
    Chain& chain = self.promise().chain();
    if (poll_once(chain.context)) return false;
    frame = self;
    chain.leaf = this;
    return true;
  }
  OutputOf<F> await_resume() {
    if (frame) promise().chain().rethrow();  // else there was no chain to bring an error
    if constexpr (!std::is_void_v<OutputOf<F>>) return std::move(*output_);
  }

 private:
  struct Nothing {};
  using Kept = std::conditional_t<std::is_void_v<OutputOf<F>>, Nothing, std::optional<OutputOf<F>>>;

  P& promise() const noexcept {
    return std::coroutine_handle<P>::from_address(frame.address()).promise();
  }

  bool poll_once(Context& context) {
    Poll<OutputOf<F>> polled = future_.poll(context);
    if (polled.is_pending()) return false;
    if constexpr (!std::is_void_v<OutputOf<F>>) output_.emplace(polled.take());
    return true;
  }
  static bool poll_leaf(Leaf& leaf, Chain& chain) noexcept {
    auto& self = static_cast<FutureAwaiter&>(leaf);
    try {
      return self.poll_once(chain.context);
    } catch (...) {
      chain.error = std::current_exception();  // it is the coroutine's to catch
      return true;
    }
  }

  F& future_;
  [[no_unique_address]] Kept output_;
};

/// The part of a promise that does not depend on the output.
template <class T>
class PromiseBase : public ChainedPromise {
 public:
  /// The handle, from which the Async is built in its final place: clang would move an Async.
  std::coroutine_handle<Promise<T>> get_return_object() noexcept {
    return std::coroutine_handle<Promise<T>>::from_promise(static_cast<Promise<T>&>(*this));
  }
  std::suspend_always initial_suspend() noexcept { return {}; }
  ChainedPromise::FinalAwaiter final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { chain().error = std::current_exception(); }

  template <class U>
  ChildAwaiter<U> await_transform(Async<U>&& child) noexcept {
    return ChildAwaiter<U>{child};
  }
  template <class F>
  requires Future<std::remove_reference_t<F>> FutureAwaiter<std::remove_reference_t<F>, Promise<T>>
  await_transform(F&& future)
  noexcept { return FutureAwaiter<std::remove_reference_t<F>, Promise<T>>{future}; }
};

template <class T>
class Promise : public PromiseBase<T> {
 public:
  template <std::convertible_to<T> U>
  void return_value(U&& output) {
    output_.emplace(std::forward<U>(output));
  }
  T take() {
    this->chain().rethrow();
    return std::move(*output_);
  }

 private:
  std::optional<T> output_;
};

template <>
class Promise<void> : public PromiseBase<void> {
 public:
  void return_void() noexcept {}
  void take() { chain().rethrow(); }
};

}  // namespace stackless
