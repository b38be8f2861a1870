// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

namespace harness::floors {

/// A binary heap of deadlines whose entries know where they lie, so that one can be taken out of
/// the middle: what an event loop has that does without a wheel (Williams, "Heapsort", 1964).
class IndexedHeap {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  /// In one heap at most; stays put while it is there.
  struct Entry {
    Deadline deadline{};
    std::size_t place = absent;
  };

  [[nodiscard]] std::size_t size() const noexcept { return heap_.size(); }
  [[nodiscard]] const Entry* earliest() const noexcept {
    return heap_.empty() ? nullptr : heap_.front();
  }

  void insert(Entry& entry, Deadline deadline) {
    entry.deadline = deadline;
    heap_.push_back(&entry);
    rise(heap_.size() - 1, entry);
  }
  /// Nothing happens for one that is not in the heap.
  void remove(Entry& entry) noexcept {
    if (entry.place == absent) return;
    const std::size_t hole = std::exchange(entry.place, absent);
    Entry& last = *heap_.back();
    heap_.pop_back();
    if (&last == &entry) return;
    if (hole != 0 && last.deadline < heap_[(hole - 1) / 2]->deadline) {
      rise(hole, last);
    } else {
      sink(hole, last);
    }
  }

 private:
  static constexpr std::size_t absent = ~std::size_t{0};

  void put(std::size_t place, Entry& entry) noexcept {
    heap_[place] = &entry;
    entry.place = place;
  }
  void rise(std::size_t place, Entry& entry) noexcept {
    while (place != 0) {
      const std::size_t parent = (place - 1) / 2;
      if (!(entry.deadline < heap_[parent]->deadline)) break;
      put(place, *heap_[parent]);
      place = parent;
    }
    put(place, entry);
  }
  void sink(std::size_t place, Entry& entry) noexcept {
    while (true) {
      std::size_t child = 2 * place + 1;
      if (child >= heap_.size()) break;
      if (child + 1 < heap_.size() && heap_[child + 1]->deadline < heap_[child]->deadline) ++child;
      if (!(heap_[child]->deadline < entry.deadline)) break;
      put(place, *heap_[child]);
      place = child;
    }
    put(place, entry);
  }

  std::vector<Entry*> heap_;
};

}  // namespace harness::floors
