// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>

namespace stackful {

/// Something to be done on a scheduler's own thread. Intrusive: lives in what it is about.
struct Message {
  void (*deliver)(Message&) noexcept = nullptr;
  Message* next = nullptr;
  std::atomic<bool> posted{false};
};

/// Messages from other threads: many senders, one receiver (Treiber's stack, taken whole).
class Inbox {
 public:
  [[nodiscard]] bool empty() const noexcept {
    return newest_.load(std::memory_order_relaxed) == nullptr;
  }

  /// Any thread. A message on its way is not posted twice: its delivery comes after this call and
  /// sees what the caller has written. True for the first message since the last delivery: the
  /// receiver is to be woken.
  bool post(Message& message) noexcept;

  /// The receiver: delivers all, in the order of their posting. A message may be posted again, or
  /// cease to exist, from the moment its delivery begins.
  void deliver() noexcept;

 private:
  std::atomic<Message*> newest_{nullptr};
};

}  // namespace stackful
