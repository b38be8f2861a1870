// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "stackless/push/cancellation.hpp"
#include "stackless/push/loop.hpp"
#include "stackless/push/promise.hpp"

namespace stackless::push {

/// Auto-reset and sticky, one waiter. Belongs to the loop's thread, set() included: inside run() or
/// spawn().
class Event {
 public:
  explicit Event(Loop& loop) noexcept : loop_{&loop} {}
  /// Cancels whoever waits.
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void set() noexcept;
  [[nodiscard]] Promise<> wait(CancellationToken token = {});

 private:
  class Wait;

  Loop* loop_;
  Wait* waiting_ = nullptr;
  bool set_ = false;
};

}  // namespace stackless::push
