// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace harness::floors {

/// `floor-poll-event`: what `floor-poll` does, and what waiting adds to it: the baton is an event
/// that a task awaits. A task is pending only once the event knows it (so it looks again after each
/// baton); a set event wakes whom it knows; a wake queues, never polls, and one that comes during
/// the task's own poll queues it afterwards. Still one kind of task, on one thread: a wake is a
/// call that is known to the compiler, not one through a waker, and nobody asks whose thread it is.
class EventRing {
 public:
  explicit EventRing(std::size_t tasks);

  void pass(std::uint64_t hops) noexcept;
  [[nodiscard]] std::size_t tasks() const noexcept { return tasks_.size(); }
  [[nodiscard]] std::uint64_t visits(std::size_t task) const noexcept {
    return tasks_[task]->visits;
  }

 private:
  enum class Phase : std::uint8_t { idle, scheduled, running, running_woken };

  struct Task;
  struct Event {
    bool set = false;
    Task* waiter = nullptr;
  };
  struct Task {
    void (*poll)(Task&, EventRing&) noexcept = nullptr;
    Task* next_scheduled = nullptr;
    Phase phase = Phase::idle;
    Event baton;
    Task* successor = nullptr;
    std::uint64_t visits = 0;
  };

  static void take_and_hand_on(Task& self, EventRing& ring) noexcept;
  static bool poll_wait(Event& event, Task& self) noexcept;
  void set(Event& event) noexcept;
  void wake(Task& task) noexcept;
  void schedule(Task& task) noexcept;
  void run() noexcept;

  std::vector<std::unique_ptr<Task>> tasks_;  // one allocation each, as in a runtime
  Task* first_ = nullptr;
  Task* last_ = nullptr;
  Task* holder_ = nullptr;  // of the baton
  std::uint64_t left_ = 0;
};

}  // namespace harness::floors
