// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>

namespace threads {

class Scheduler;

/// What a new kernel thread is handed: the body it runs, in the one allocation that a task makes.
/// Everything else a task remembers lives on its stack.
class Task {
 public:
  explicit Task(Scheduler& owner) noexcept : scheduler{owner} {}
  virtual ~Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  /// An exception that escapes the body ends the program.
  virtual void run() noexcept = 0;

  Scheduler& scheduler;
};

/// A task whose body is the callable `Body`.
template <class Body>
class BodyTask final : public Task {
 public:
  BodyTask(Scheduler& owner, Body body) : Task{owner}, body_{std::move(body)} {}
  void run() noexcept override { body_(); }

 private:
  Body body_;
};

}  // namespace threads
