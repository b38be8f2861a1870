// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <fmt/format.h>
#include <utility>

#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/subject.hpp"
#include "harness/workloads/call_chain.hpp"
#include "harness/workloads/own_stack.hpp"
#include "harness/workloads/stack_use.hpp"
#include "harness/workloads/stacks.hpp"

namespace harness {

/// What a row of the map asks for.
struct Plan {
  Plan(const Cell& cell, stackful::Options with)
      : options{with},
        depth{cell.number("depth")},
        tasks{stacks_at_once(with.stack_bytes)},
        recycled{cell.text("use") == "recycled"} {
    options.painted = cell.text("high_water") == "painted";
  }

  /// What a stack was used for before: calls into its last quarter.
  [[nodiscard]] std::uint64_t earlier_depth() const noexcept {
    constexpr std::size_t bytes_a_call = CallChain::bytes_a_call + 64;  // with what a frame adds
    return std::max<std::uint64_t>(1, options.stack_bytes * 3 / 4 / bytes_a_call);
  }

  stackful::Options options;
  std::uint64_t depth;
  std::size_t tasks;
  bool recycled;
};

/// A runtime and its tasks, which wait at the end of their calls. All on one thread.
template <class B>
class Tenants {
 public:
  using Runtime = typename B::Runtime;
  using Event = typename B::Event;

  Tenants(Port& port, const Plan& plan)
      : port_{&port},
        plan_{&plan},
        runtime_{plan.options},
        watch_{pool_of(runtime_), &refuse, this},
        all_here_{runtime_} {
    for (std::size_t i = 0; i < plan.tasks; ++i) beds_.emplace_back(runtime_);
  }

  [[nodiscard]] Runtime& runtime() noexcept { return runtime_; }

  /// Makes them all; returns when the last one waits. Called by a task that is none of them.
  void move_in(std::uint64_t depth) {
    for (auto& bed : beds_) {
      const auto error = runtime_.spawn([this, &bed, depth] { live(bed, depth); });
      if (error) port_->give_up(refusal(error, here_));
    }
    all_here_.wait();
  }
  /// Returns when the last one has ended.
  void move_out() {
    for (auto& bed : beds_) bed.set();
    all_here_.wait();
  }
  /// Whether every call of every task so far found its bytes.
  [[nodiscard]] bool intact() const noexcept { return calls_intact_ == calls_made_; }

  /// How much the tasks use, while they wait.
  void report_use() const;

 private:
  void live(Event& bed, std::uint64_t depth) {
    calls_made_ += depth;
    calls_intact_ += chain_.descend(depth, [&] {
      if (++here_ == beds_.size()) all_here_.set();
      bed.wait();
    });
    if (--here_ == 0) all_here_.set();
  }

  // Nobody else runs on this thread, and what was interrupted is a call of ours.
  static void refuse(void* whom, const stackful::Overflow& overflow) noexcept {
    const auto& self = *static_cast<Tenants*>(whom);
    const auto wanted = static_cast<std::uint64_t>(overflow.stack.top - overflow.address);
    self.port_->give_up(fmt::format("{} (usable of stack:{}, at call {})",
                                    refusal("stack_bytes", wanted, overflow.stack.bytes()),
                                    self.plan_->options.stack_bytes, self.chain_.reached()));
  }

  Port* port_;
  const Plan* plan_;
  Runtime runtime_;
  stackful::OverflowWatch watch_;
  CallChain chain_;
  std::deque<Event> beds_;
  Event all_here_;
  std::size_t here_ = 0;
  std::uint64_t calls_made_ = 0;
  std::uint64_t calls_intact_ = 0;
};

template <class B>
void Tenants<B>::report_use() const {
  const bool painted = plan_->options.painted;
  const StackUse use = report_stack_use(*port_, pool_of(runtime_), painted);
  if (painted) return;
  port_->result("resident_bytes_per_stack",
                static_cast<double>(use.resident_bytes) / static_cast<double>(use.stacks));
}

}  // namespace harness
