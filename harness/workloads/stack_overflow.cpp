// SPDX-License-Identifier: BSL-1.0
#include <atomic>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <optional>

#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/call_chain.hpp"
#include "harness/workloads/options.hpp"
#include "harness/workloads/own_stack.hpp"
#include "harness/workloads/stacks.hpp"

namespace harness {

namespace {

/// On either side of the one that overflows: whichever way stacks are laid out, somebody lies
/// below.
constexpr std::size_t neighbours_a_side = 16;

/// One of many tasks runs out of its stack. The others wait and never go on, as an overflow that no
/// guard stops has written over what they are: whoever finds it ends the process. `overflow_depth`
/// is the first call that has no room, however it is told.
template <class C>
class Trial {
 public:
  using B = typename C::Backend;

  /// Where nothing guards the stacks, a canary is to tell.
  Trial(Port& port, const typename B::Options& options, bool guarded)
      : port_{&port}, guarded_{guarded}, runtime_{options}, all_wait_{runtime_} {}

  void run() {
    spawn_neighbours();
    check(runtime_.spawn([this] { overrun(); }));
    spawn_neighbours();
    runtime_.run();
    port_->failure("wrong: no overflow was told");
  }

 private:
  void check(std::error_code error) {
    if (error) port_->give_up(refusal(error, waiting_.load()));
  }

  void spawn_neighbours() {
    for (std::size_t i = 0; i < neighbours_a_side; ++i) {
      check(runtime_.spawn([this] {
        if (waiting_.fetch_add(1) + 1 == 2 * neighbours_a_side) all_wait_.set();
        B::sleep_until(io::never);
      }));
    }
  }

  void overrun() {
    all_wait_.wait();
    const stackful::Stack own = own_stack(runtime_);
    guarded_ ? meet_the_guard(own) : go_beyond(own);
    port_->give_up(fmt::format("refused: most_calls reached={} limit={}", survived_, most_calls));
  }

  /// The call that faults is known, so the descents may be far apart.
  void meet_the_guard(const stackful::Stack& own) {
    std::optional<stackful::OverflowWatch> watch;
    if constexpr (HasStackPool<B>) {
      watch.emplace(pool_of(runtime_), &tell_guard, this);
    } else {
      watch.emplace(own, &tell_guard, this);
    }
    for (std::uint64_t depth = 1; depth <= most_calls; depth *= 2) {
      chain_.descend(depth, [] {});
      survived_ = depth;
    }
  }

  /// Call by call, so that it is the first beyond the end that is told. A fault, where nothing is
  /// mapped below, is nobody's report: it takes its course.
  void go_beyond(const stackful::Stack& own) {
    const stackful::Canary canary{own};
    const std::less<> below;
    for (std::uint64_t depth = 1; depth <= most_calls; ++depth) {
      chain_.descend(depth, [] {});
      if (below(chain_.lowest(), own.lowest) && !canary.is_alive()) tell_afterwards(own);
      survived_ = depth;
    }
  }

  // Nobody else runs on this thread, and what was interrupted is a call of ours.
  static void tell_guard(void* whom, const stackful::Overflow& overflow) noexcept {
    auto& self = *static_cast<Trial*>(whom);
    self.port_->note(HasStackPool<B> ? "told by the guard, on the worker's alternate stack"
                                     : "told by the guard, on the thread's alternate stack");
    self.tell(overflow.stack, overflow.address, true);
  }

  [[noreturn]] void tell_afterwards(const stackful::Stack& own) noexcept {
    port_->note("silent: others' bytes were written over, a canary told afterwards");
    tell(own, chain_.lowest(), false);
  }

  [[noreturn]] void tell(const stackful::Stack& stack, const std::byte* lowest,
                         bool at_once) noexcept {
    std::error_code error;
    const auto high_water = stackful::high_water_by_pages(stack, error);
    if (error) port_->give_up("failed: mincore: " + error.message());
    port_->result("task", static_cast<double>(number_of(stack)));
    port_->result("overflow_depth", static_cast<double>(chain_.reached()));
    port_->result("survived_depth", static_cast<double>(survived_));
    port_->result("stack_bytes", static_cast<double>(stack.bytes()));
    port_->result("high_water_bytes", static_cast<double>(high_water.bytes));
    port_->result("bytes_beyond", static_cast<double>(stack.lowest - lowest));
    port_->result("told_at_once", at_once ? 1 : 0);
    std::_Exit(0);
  }

  /// By the stack alone, in the order of making; for a thread, which has no list to look it up in,
  /// its turn.
  [[nodiscard]] std::size_t number_of(const stackful::Stack& stack) const noexcept {
    std::size_t number = neighbours_a_side;
    if constexpr (HasStackPool<B>) {
      std::size_t here = 0;
      pool_of(runtime_).for_each([&](const stackful::Stack& each) {
        if (each.top == stack.top) number = here;
        ++here;
      });
    }
    return number;
  }

  Port* port_;
  bool guarded_;
  typename B::Runtime runtime_;
  typename B::Event all_wait_;
  CallChain chain_;
  std::uint64_t survived_ = 0;
  std::atomic<std::size_t> waiting_{0};
};

template <class C>
void run(Port& port, const Cell& cell) {
  const auto options = options_of<typename C::Backend>(cell.with("guard", cell.text("overflow")));
  port.note(describe_stacks(options));
  Trial<C> trial{port, options, cell.text("overflow") != "none"};
  trial.run();
}

void run_either(Port& port, const Cell& cell) {
  cell.has("overflow") ? run_stack_overflow(port, cell) : run_stack_map(port, cell);
}

}  // namespace

void run_stack_overflow(Port& port, const Cell& cell) {
  with_contender(cell.contender, [&]<class C>() {
    if constexpr (HasStacks<typename C::Backend>) {
      run<C>(port, cell);
    } else {
      port.failure(fmt::format("refused: {} have no stacks", C::name));
    }
  });
}

std::vector<Subject> stack_subjects() {
  std::vector<Subject> subjects;
  for_each_contender([&]<class C>() {
    if constexpr (HasStacks<typename C::Backend>) {
      subjects.push_back({"stacks", C::name, &run_either});
    }
  });
  return subjects;
}

}  // namespace harness
