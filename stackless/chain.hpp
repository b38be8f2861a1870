// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

#include "stackless/context.hpp"
#include "stackless/fault.hpp"

namespace stackless {

struct Chain;

/// The plain future at the end of a chain of coroutines, and the coroutine that awaits it. Lives in
/// that coroutine's frame.
struct Leaf {
  bool (*poll)(Leaf&, Chain&) noexcept;  ///< true: resume the frame
  std::coroutine_handle<> frame{};
};

/// One drive of a chain of coroutines that await each other: what the frames tell the trampoline.
/// Lives on the worker's stack as long as the poll of the root.
struct Chain {
  explicit Chain(Context& of_this_poll) noexcept : context{of_this_poll} {}
  /// Throws the error on its way, if there is one.
  void rethrow() {
    if (error) std::rethrow_exception(std::exchange(error, nullptr));
  }

  Context& context;
  std::coroutine_handle<> next{};  ///< whom to resume when the one that runs has suspended
  Leaf* leaf = nullptr;            ///< where the chain is stuck
  bool ended = false;              ///< the root is through, by its output or by the error
  std::exception_ptr error{};  ///< on its way from an awaited coroutine or future to its awaiter
};

/// The links of a promise. A coroutine that is awaited belongs to the root that is being polled;
/// resuming always happens in the root's drive, one frame deep, so neither a long loop of awaits
/// that complete at once nor a deep chain grows the worker's stack, at any optimisation level.
///
///     poll(root) ──► drive ──resume──► root ── co_await child: next = child, suspend ──┐
///                      ▲ │                                                             │
///                      │ └──resume──► child ── ends: next = root, suspend ──► drive ◄──┘
///                      └── pending: remember the leaf, return; next time poll the leaf first
class ChainedPromise {
 public:
  ChainedPromise() noexcept : leaf_{nullptr} {}
  ChainedPromise(const ChainedPromise&) = delete;
  ChainedPromise& operator=(const ChainedPromise&) = delete;

  /// The drive that is going on.
  [[nodiscard]] Chain& chain() const noexcept { return *root_->chain_; }

  /// Root: true when the coroutine has ended, by its output or by the chain's error.
  bool drive(std::coroutine_handle<> self, Chain& chain) {
    root_ = this;
    Leaf* const stuck_at = std::exchange(leaf_, nullptr);
    chain_ = &chain;
    chain.next = self;
    if (stuck_at != nullptr) {
      if (!stuck_at->poll(*stuck_at, chain)) return suspend(stuck_at);
      chain.next = stuck_at->frame;
    }
    while (chain.next) std::exchange(chain.next, nullptr).resume();
    if (chain.leaf != nullptr) return suspend(chain.leaf);
    if (!chain.ended) fault("a coroutine stopped in a condition that awaits: name what (GCC 12)");
    return true;
  }

  /// Child: to be resumed next, as part of `parent`'s chain.
  void begin_after(std::coroutine_handle<> parent, const ChainedPromise& parent_promise,
                   std::coroutine_handle<> self) noexcept {
    if (root_ != nullptr) fault("a coroutine that had been polled was awaited as a temporary");
    root_ = parent_promise.root_;
    parent_ = parent;
    chain().next = self;
  }

  /// Hands over to whoever awaits this coroutine; the root has nobody.
  struct FinalAwaiter {
    [[nodiscard]] static bool await_ready() noexcept { return false; }
    template <class P>
    static void await_suspend(std::coroutine_handle<P> self) noexcept {
      self.promise().end();
    }
    static void await_resume() noexcept {}
  };

 private:
  bool suspend(Leaf* leaf) noexcept {
    leaf_ = leaf;
    return false;
  }
  void end() noexcept {
    if (root_ == this) {
      chain_->ended = true;
    } else {
      chain().next = parent_;
    }
  }

  ChainedPromise* root_ = nullptr;
  union {
    Leaf* leaf_;                      // a root between two polls
    Chain* chain_;                    // a root while it is polled
    std::coroutine_handle<> parent_;  // any other
  };
};

}  // namespace stackless
