// SPDX-License-Identifier: BSL-1.0
#include "stackless/blocking_pool.hpp"

namespace stackless {

BlockingPool::~BlockingPool() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock{queue_->mutex()};
    ending_ = true;
    std::swap(threads, threads_);
  }
  job_or_end_.notify_all();
  while (BlockingJob* const job = take_job()) job->cancel();
  for (std::thread& thread : threads) thread.join();
}

std::size_t BlockingPool::threads() const {
  const std::lock_guard lock{queue_->mutex()};
  return threads_.size();
}

std::error_code BlockingPool::enqueue(BlockingJob& job) {
  const std::lock_guard lock{queue_->mutex()};
  if (ending_) return std::make_error_code(std::errc::operation_canceled);
  if (queue_->size() >= options_.queued_jobs) {
    return std::make_error_code(std::errc::resource_unavailable_try_again);
  }
  if (idle_ <= queue_->size() && threads_.size() < options_.threads) {
    const std::error_code error = start_thread();
    if (error && threads_.empty()) return error;
  }
  queue_->push(job);
  job_or_end_.notify_one();
  return {};
}

std::error_code BlockingPool::start_thread() {
  try {
    threads_.emplace_back([this] { serve(); });
    return {};
  } catch (const std::system_error& error) {
    return error.code();
  } catch (const std::bad_alloc&) {
    return std::make_error_code(std::errc::not_enough_memory);
  }
}

void BlockingPool::serve() noexcept {
  while (BlockingJob* const job = next_job()) job->run();
}

BlockingJob* BlockingPool::take_job() {
  const std::lock_guard lock{queue_->mutex()};
  return queue_->pop();
}

/// nullptr: the pool ends.
BlockingJob* BlockingPool::next_job() {
  std::unique_lock lock{queue_->mutex()};
  ++idle_;
  job_or_end_.wait(lock, [this] { return ending_ || queue_->size() != 0; });
  --idle_;
  return ending_ ? nullptr : queue_->pop();
}

}  // namespace stackless
