// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "stackless/context.hpp"
#include "stackless/fault.hpp"
#include "stackless/waker.hpp"

namespace stackless::test {

/// What happened, in order.
using Trace = std::vector<std::string>;

/// A task without an executor: futures are polled by hand with its context.
class Probe : public Wakeable {
 public:
  Probe() : Wakeable{&table} {}
  ~Probe() = default;
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  template <class F>
  auto poll(F& future) {
    Context context{borrowed_.waker()};
    return future.poll(context);
  }

  int wakes = 0;
  int references = 0;  ///< held by clones
  int clones = 0;      ///< ever made

 private:
  static Probe& self(Wakeable& target) { return static_cast<Probe&>(target); }
  static void add(Wakeable& target) noexcept {
    ++self(target).clones;
    ++self(target).references;
  }
  static void wake(Wakeable& target) noexcept { ++self(target).wakes; }
  static void drop(Wakeable& target) noexcept { --self(target).references; }
  static void wake_and_drop(Wakeable& target) noexcept {
    wake(target);
    drop(target);
  }
  static constexpr WakerOperations table{&add, &wake_and_drop, &wake, &drop};

  BorrowedWaker borrowed_{*this};
};

/// Counts the objects of its kind that are alive.
template <class Count>
class BasicCounted {
 public:
  explicit BasicCounted(Count& alive) : alive_{&alive} { ++*alive_; }
  BasicCounted(const BasicCounted& other) noexcept : alive_{other.alive_} { ++*alive_; }
  BasicCounted& operator=(const BasicCounted&) = delete;
  ~BasicCounted() { --*alive_; }

 private:
  Count* alive_;
};
using Counted = BasicCounted<int>;
using SharedCounted = BasicCounted<std::atomic<int>>;

/// What the replaced fault handler throws.
struct Fault {
  std::string what;
};

/// Turns faults into exceptions while it lives.
class FaultsThrow {
 public:
  FaultsThrow() : before_{fault_handler} {
    fault_handler = [](const char* what) {
      throw Fault{what};
    };
  }
  ~FaultsThrow() { fault_handler = before_; }
  FaultsThrow(const FaultsThrow&) = delete;
  FaultsThrow& operator=(const FaultsThrow&) = delete;

 private:
  FaultHandler before_;
};

}  // namespace stackless::test
