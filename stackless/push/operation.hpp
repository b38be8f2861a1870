// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace stackless::push {

class Operation;

/// A place in a list of operations.
struct OperationLink {
  explicit OperationLink(Operation& of) noexcept : operation{&of} {}
  Operation* operation;
  OperationLink* previous = nullptr;
  OperationLink* next = nullptr;
};

/// Something awaited: a timer, readiness, an event. Known to the loop and to its cancellation
/// token, so that either can cancel it.
class Operation {
 public:
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  /// Leaves both lists, takes back whatever was arranged, and settles as cancelled. May be its end.
  virtual void cancel() noexcept = 0;

  OperationLink in_loop{*this};
  OperationLink in_token{*this};

 protected:
  Operation() = default;
  ~Operation() = default;
};

/// Operations that can be cancelled together. Intrusive.
class OperationList {
 public:
  void add(OperationLink& link) noexcept {
    link.next = first_;
    if (first_ != nullptr) first_->previous = &link;
    first_ = &link;
  }
  void remove(OperationLink& link) noexcept {
    (link.previous != nullptr ? link.previous->next : first_) = link.next;
    if (link.next != nullptr) link.next->previous = link.previous;
  }
  void cancel_all() noexcept {
    while (first_ != nullptr) first_->operation->cancel();
  }

 private:
  OperationLink* first_ = nullptr;
};

}  // namespace stackless::push
