// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace stackless {

/// A place in a list; or the list itself, which leads to its first and its last. Intrusive: taking
/// a place allocates nothing, leaving it searches nothing. Freestanding.
struct ListLink {
  ListLink() = default;
  ListLink(const ListLink&) = delete;
  ListLink& operator=(const ListLink&) = delete;

  /// Of a list: whether there is anybody.
  [[nodiscard]] bool is_linked() const noexcept { return next != this; }
  void link_before(ListLink& other) noexcept {
    previous = other.previous;
    next = &other;
    previous->next = this;
    other.previous = this;
  }
  void unlink() noexcept {
    previous->next = next;
    next->previous = previous;
    previous = next = this;
  }

  ListLink* previous = this;
  ListLink* next = this;
};

}  // namespace stackless
