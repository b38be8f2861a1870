// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/row.hpp"
#include "harness/snapshot.hpp"

namespace harness {

/// A straight line through points by least squares.
struct Line {
  double slope = 0;
  double intercept = 0;
  double slope_error = 0;  ///< its standard error; 0 with fewer than three points
};
struct Point {
  double x;
  double y;
};
/// NaN in both without two different x.
Line fit(std::span<const Point> points);

/// Memory per task: what grows with the number of tasks is the slope of the photographs taken at
/// idle, N/4, N/2, 3N/4 and N; what the program costs anyway is the intercept.
class Ledger {
 public:
  /// `cpus`: how many CPUs charge the subject's group with kernel memory: its own, and whichever
  /// else works for its sockets.
  explicit Ledger(std::size_t cpus) : cpus_{cpus} {}

  /// `heap` is what the subject says malloc has handed out.
  void enter(std::uint64_t tasks, const Snapshot& snapshot, std::optional<double> heap);

  /// Sets user_, kernel_, heap_, stack_, page_table_, kernel_stack_, slab_ and
  /// virtual_bytes_per_task, mappings_per_task and intercept_bytes (user and kernel, and what was
  /// resident of files at first: later, whoever starts takes a share of that off us, which is no
  /// task's doing). stack_, where
  /// `own_stacks`, is what is resident and not malloc's: the stack's touched pages with what else
  /// lies in them (a thread's own storage and control block), and what malloc holds in reserve;
  /// whole pages, where the heap is counted in bytes. What was not to be seen is left out; what is
  /// the whole machine's is doubted (`whole-machine`) and not part of the intercept.
  ///
  /// Doubted is also what a line through photographs does not tell. A slope is known to one unit of
  /// its account by the number of tasks: a page of 4 KiB, for the kernel's memory one for each of
  /// `cpus`; of the heap 16 bytes, malloc's step. `resolution` is a slope whose unit makes more
  /// than 5 % of what a task takes in all (user and kernel); `bent` one whose standard error is
  /// more than that: what is added a task is then not one number; `negative` one further below zero
  /// than that, and than its unit. A figure of the table is read to 5 %; parts of a task are held
  /// against its whole, for nearly nothing is a good answer, too.
  void post(Row& row, bool own_stacks) const;

 private:
  struct Entry {
    double tasks;
    Snapshot snapshot;
    std::optional<double> heap;
  };

  template <class Value>
  [[nodiscard]] Line line(Value value) const;
  [[nodiscard]] double tasks_apart() const;

  std::size_t cpus_;
  std::vector<Entry> entries_;
};

}  // namespace harness
