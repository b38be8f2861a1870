// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace harness::floors {

/// `floor-poll-waker`: what `floor-poll` does, and what waiting adds to it in a design that polls.
/// The baton is an event that a task awaits. A task is pending only once the event holds its waker
/// (so it looks again after each baton). A set event wakes through the waker, not knowing whom. A
/// wake queues, never polls; one that comes during the task's own poll queues it afterwards. Still
/// one thread: nobody asks whose a task is, nothing comes from outside, no reference is counted.
class WakerRing {
 public:
  explicit WakerRing(std::size_t tasks);
  WakerRing(const WakerRing&) = delete;
  WakerRing& operator=(const WakerRing&) = delete;

  void pass(std::uint64_t hops) noexcept;
  [[nodiscard]] std::size_t tasks() const noexcept { return tasks_.size(); }
  [[nodiscard]] std::uint64_t visits(std::size_t task) const noexcept {
    return tasks_[task]->visits;
  }

 private:
  enum class Phase : std::uint8_t { idle, scheduled, running, running_woken };
  enum class Polled : bool { pending, ready };

  struct Task;
  struct Operations {
    Polled (*poll)(Task&) noexcept;
    void (*wake)(Task&) noexcept;
  };
  struct Event {
    bool set = false;
    Task* waker = nullptr;
  };
  struct Task {
    Task(const Operations& own_operations, WakerRing& home) noexcept
        : operations{&own_operations}, ring{&home} {}

    const Operations* operations;
    WakerRing* ring;
    Task* next_scheduled = nullptr;
    Phase phase = Phase::idle;
    Event baton;
    Task* successor = nullptr;
    std::uint64_t visits = 0;
  };

  static Polled take_and_hand_on(Task& self) noexcept;
  static void wake(Task& task) noexcept;
  static Polled poll_wait(Event& event, Task& waiter) noexcept;
  static void set(Event& event) noexcept;
  void schedule(Task& task) noexcept;
  void run() noexcept;

  static constexpr Operations table{&take_and_hand_on, &wake};

  std::vector<std::unique_ptr<Task>> tasks_;  // one allocation each, as in a runtime
  Task* first_ = nullptr;
  Task* last_ = nullptr;
  Task* holder_ = nullptr;  // of the baton
  std::uint64_t left_ = 0;
};

}  // namespace harness::floors
