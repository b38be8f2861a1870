// SPDX-License-Identifier: BSL-1.0
#include "stackless/push/loop.hpp"

#include "stackless/fault.hpp"

namespace stackless::push {

Loop::Loop(Options options) {
  if (options.workers != 1) {
    throw std::system_error{std::make_error_code(std::errc::invalid_argument),
                            "stackless::push: only one worker"};
  }
}

Loop::~Loop() {
  const Entered entered{*this};
  closing_ = true;
  do {
    operations_.cancel_all();
  } while (run_some());
}

Loop& Loop::current() {
  if (current_ == nullptr) fault("there is no current loop: not inside run() or spawn()");
  return *current_;
}

void Loop::run() {
  const Entered entered{*this};
  while (first_ != nullptr || count_ != 0) {
    const bool more = run_some();
    if (more) {
      reactor_.look();
    } else if (count_ != 0) {
      reactor_.turn(io::never);
    }
  }
}

/// Whether there is more.
bool Loop::run_some() noexcept {
  for (unsigned jobs = 0; jobs != io::poll_budget && first_ != nullptr; ++jobs) {
    Job& job = *first_;
    first_ = job.next_;
    job.run();
  }
  return first_ != nullptr;
}

void Loop::queue(Job& job) noexcept {
  job.next_ = nullptr;
  (first_ == nullptr ? first_ : last_->next_) = &job;
  last_ = &job;
}

void Loop::begin(Operation& operation) noexcept {
  operations_.add(operation.in_loop);
  ++count_;
}

void Loop::end(Operation& operation) noexcept {
  operations_.remove(operation.in_loop);
  --count_;
}

}  // namespace stackless::push
