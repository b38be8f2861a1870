// SPDX-License-Identifier: BSL-1.0
#include "threads/scheduler.hpp"

#include <cstdlib>

namespace threads {
namespace {

/// The C library's pthread_t is the address of a control block, so none is 0.
constexpr pthread_t nobody = 0;

void join(pthread_t thread) noexcept {
  if (pthread_join(thread, nullptr) != 0) {
    std::abort();
  }
}

}  // namespace

Scheduler::Scheduler(Options options)
    : attributes_{options.stack_bytes, options.guard_bytes}, last_ended_{nobody} {
  if (options.workers != 1) {
    throw std::system_error{std::make_error_code(std::errc::invalid_argument),
                            "threads: workers are the kernel's business"};
  }
}

Scheduler::~Scheduler() {
  run();
}

std::error_code Scheduler::start(std::unique_ptr<Task> task) noexcept {
  // Counted first: the thread may end before pthread_create returns.
  live_.fetch_add(1, std::memory_order_relaxed);
  pthread_t thread{};
  const int error = pthread_create(&thread, attributes_.get(), &run_thread, task.get());
  if (error != 0) {
    leave();
    return {error, std::generic_category()};
  }
  task.release();  // NOLINT(bugprone-unused-return-value): the thread owns it now
  return {};
}

void* Scheduler::run_thread(void* argument) noexcept {
  std::unique_ptr<Task> task{static_cast<Task*>(argument)};
  Scheduler& scheduler = task->scheduler;
  scheduler.read_back_stack();
  task->run();
  task.reset();
  scheduler.retire();
  return nullptr;
}

void Scheduler::read_back_stack() noexcept {
  if (stack_bytes_in_force_.load(std::memory_order_relaxed) == 0) {
    stack_bytes_in_force_.store(current_stack_bytes(), std::memory_order_relaxed);
  }
}

void Scheduler::retire() noexcept {
  const pthread_t predecessor = last_ended_.exchange(pthread_self(), std::memory_order_acq_rel);
  if (predecessor != nobody) {
    join(predecessor);
  }
  leave();
}

void Scheduler::leave() noexcept {
  if (live_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    all_ended_.set();
  }
}

void Scheduler::run() noexcept {
  while (live_.load(std::memory_order_acquire) != 0) {
    all_ended_.wait();
  }
  // Who brought the count to zero had joined all before it, and may still be inside leave().
  const pthread_t last = last_ended_.exchange(nobody, std::memory_order_acq_rel);
  if (last != nobody) {
    join(last);
  }
}

std::size_t Scheduler::live_tasks() const noexcept {
  return live_.load(std::memory_order_relaxed);
}

std::size_t Scheduler::stack_bytes_in_force() const noexcept {
  return stack_bytes_in_force_.load(std::memory_order_relaxed);
}

}  // namespace threads
