// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <pthread.h>
#include <system_error>
#include <utility>

#include "threads/event.hpp"
#include "threads/stack.hpp"
#include "threads/task.hpp"

namespace threads {

/// How the kernel threads of a scheduler are made.
struct Options {
  /// Whole bytes of each stack, thread-local storage included. The C library's own default would
  /// reserve 8 MiB.
  std::size_t stack_bytes = std::size_t{64} * 1024;
  /// Inaccessible bytes below each stack, rounded up to pages; 0 for none. A guard costs a mapping.
  std::size_t guard_bytes = 4096;
  /// The kernel deals threads to CPUs; only 1, which says nothing, is accepted.
  unsigned workers = 1;
};

/// One OS thread per task: the kernel is the scheduler, this class only starts and buries threads.
///
/// Burying: a thread that ends joins the one that ended before it, and run() joins the last. So at
/// most one ended thread is left unjoined at any time, however many come and go, and whoever has
/// joined the last knows that all are gone from the kernel.
class Scheduler {
 public:
  /// Throws std::system_error when the C library refuses the options.
  explicit Scheduler(Options options = {});
  ~Scheduler();  ///< waits like run(): a thread cannot be dropped
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Starts a thread that runs `body` once, at once. Any task, or the owner; fails with
  /// pthread_create's error (EAGAIN at a limit), having created nothing.
  template <std::invocable Body>
  std::error_code spawn(Body body) {
    std::unique_ptr<Task> task{new (std::nothrow) BodyTask<Body>{*this, std::move(body)}};
    return task ? start(std::move(task)) : std::make_error_code(std::errc::not_enough_memory);
  }

  /// Returns when every task has ended and its thread is gone. The owner's thread only.
  void run() noexcept;

  /// Tasks whose threads are not yet gone. Any thread.
  [[nodiscard]] std::size_t live_tasks() const noexcept;
  /// The stack size that the first thread found itself with; 0 before it has started. Any thread.
  [[nodiscard]] std::size_t stack_bytes_in_force() const noexcept;

 private:
  std::error_code start(std::unique_ptr<Task> task) noexcept;
  static void* run_thread(void* task) noexcept;
  void read_back_stack() noexcept;
  void retire() noexcept;
  void leave() noexcept;

  StackAttributes attributes_;
  std::atomic<std::size_t> live_{0};
  std::atomic<std::size_t> stack_bytes_in_force_{0};
  std::atomic<pthread_t> last_ended_;
  Event all_ended_{*this};
};

}  // namespace threads
