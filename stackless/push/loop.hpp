// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <system_error>
#include <type_traits>
#include <utility>

#include "io/reactor.hpp"
#include "stackless/push/operation.hpp"

namespace stackless::push {

/// A continuation whose turn has come. Intrusive: in the queue at most once.
class Job {
 public:
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Lets go of itself: nobody touches it afterwards.
  virtual void run() noexcept = 0;

 protected:
  virtual ~Job() = default;

 private:
  friend class Loop;
  Job* next_ = nullptr;
};

struct Options {
  unsigned workers = 1;  ///< a push loop is one thread
};

/// The event loop of the push model: whatever is awaited keeps its continuation, and pushes the
/// outcome into it when it comes. Continuations run from a queue, first in, first out, so that none
/// runs inside another. Belongs to one thread.
class Loop {
 public:
  /// Throws std::system_error: invalid_argument, or what the reactor throws.
  explicit Loop(Options options = {});
  /// Cancels what is awaited, and runs the continuations that say goodbye.
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// Runs `body` at once, up to its first wait: the push model is eager. What it returns is
  /// dropped; a promise that fails with nobody to see it ends the program.
  template <class Body>
  std::error_code spawn(Body&& body) {
    const Entered entered{*this};
    static_cast<void>(std::forward<Body>(body)());
    return {};
  }
  /// Returns when nothing is queued and nothing is awaited.
  void run();

  /// The loop this thread is in; a fault where there is none.
  static Loop& current();

  void queue(Job& job) noexcept;
  void begin(Operation& operation) noexcept;
  void end(Operation& operation) noexcept;
  /// At its end the loop begins nothing any more: what would be awaited is cancelled at once.
  [[nodiscard]] bool is_closing() const noexcept { return closing_; }
  [[nodiscard]] io::Reactor& reactor() noexcept { return reactor_; }
  /// What is awaited.
  [[nodiscard]] std::size_t operations() const noexcept { return count_; }

  /// Makes a loop this thread's current one for a while.
  class Entered {
   public:
    explicit Entered(Loop& loop) noexcept : outer_{std::exchange(current_, &loop)} {}
    ~Entered() { current_ = outer_; }
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;

   private:
    Loop* outer_;
  };

 private:
  bool run_some() noexcept;

  inline static constinit thread_local Loop* current_ = nullptr;

  Job* first_ = nullptr;
  Job* last_ = nullptr;
  OperationList operations_;
  std::size_t count_ = 0;
  bool closing_ = false;
  io::Reactor reactor_;
};

}  // namespace stackless::push
