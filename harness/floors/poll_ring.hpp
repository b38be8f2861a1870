// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace harness::floors {

/// `floor-poll`: the least that hands a baton round tasks which keep their state in plain memory: a
/// run queue linked through the tasks, a call through a pointer, a flag for the baton and one for
/// being queued. No waker, no states, no other thread: less than any loop does in which tasks wait
/// for what does not know them (`floor-poll-waker`).
class PollRing {
 public:
  explicit PollRing(std::size_t tasks);

  void pass(std::uint64_t hops) noexcept;
  [[nodiscard]] std::size_t tasks() const noexcept { return tasks_.size(); }
  [[nodiscard]] std::uint64_t visits(std::size_t task) const noexcept {
    return tasks_[task]->visits;
  }

 private:
  struct Task {
    void (*poll)(Task&, PollRing&) noexcept = nullptr;
    Task* next_queued = nullptr;
    bool queued = false;
    bool has_baton = false;
    Task* successor = nullptr;
    std::uint64_t visits = 0;
  };

  static void take_and_hand_on(Task& self, PollRing& ring) noexcept;
  void wake(Task& task) noexcept;

  std::vector<std::unique_ptr<Task>> tasks_;  // one allocation each, as in a runtime
  Task* first_ = nullptr;
  Task* last_ = nullptr;
  Task* holder_ = nullptr;  // of the baton
  std::uint64_t left_ = 0;
};

}  // namespace harness::floors
