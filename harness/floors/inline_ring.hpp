// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/floors/stacks.hpp"

namespace harness::floors {

/// `floor-inline`: the cheapest switch of stacks. Seven inlined instructions; the compiler itself
/// saves what is live, which is little, and the baton stays in a register. The floating-point
/// control words are not kept, as a library has to. x86-64 only.
class InlineRing {
 public:
#if defined(__x86_64__)
  static constexpr bool supported = true;
#else
  static constexpr bool supported = false;
#endif

  /// Throws std::system_error when there are no stacks, or the switch is not `supported`.
  explicit InlineRing(std::size_t tasks);

  void pass(std::uint64_t hops) noexcept;
  [[nodiscard]] std::size_t tasks() const noexcept {
    return tasks_.size();
  }
  [[nodiscard]] std::uint64_t visits(std::size_t task) const noexcept;

 private:
  struct Context {  // the offsets are known to the switch
    void* stack = nullptr;
    void* frame = nullptr;
    void* resume = nullptr;
  };
  struct Task;

  static void change(Context*& from, Context*& to, std::uint64_t& left) noexcept;
  static void enter(Context* from, Context* self, std::uint64_t left) noexcept;

  Stacks stacks_;
  std::vector<Task*> tasks_;
  Context home_;
  Context* holder_ = nullptr;  // of the baton
};

}  // namespace harness::floors
