// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <array>
#include <deque>
#include <fmt/format.h>
#include <system_error>
#include <utility>

#include "harness/contenders.hpp"
#include "harness/heap.hpp"
#include "harness/limits.hpp"
#include "harness/rounds.hpp"
#include "harness/workloads/call_chain.hpp"
#include "harness/workloads/options.hpp"
#include "harness/workloads/own_stack.hpp"
#include "harness/workloads/stacks.hpp"

namespace harness {

namespace {

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

  /// How much the tasks use. The first stack is not theirs: it was taken before they came.
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
    self.port_->give_up(refusal("stack_bytes", self.chain_.reached(), overflow.stack.bytes()));
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
  std::size_t deepest = 0;
  std::size_t resident = 0;
  std::size_t headroom = plan_->options.stack_bytes * 2;
  bool first = true;
  std::error_code error;
  pool_of(runtime_).for_each([&](const stackful::Stack& stack) {
    if (std::exchange(first, false) || error) return;
    const auto pages = plan_->options.painted
                           ? stackful::HighWater{stackful::high_water_by_paint(stack), 0}
                           : stackful::high_water_by_pages(stack, error);
    deepest = std::max(deepest, pages.bytes);
    headroom = std::min(headroom, stack.bytes() - pages.bytes);
    resident += pages.resident_bytes;
  });
  if (error) return port_->failure("failed: mincore: " + error.message());
  port_->result("high_water_bytes", static_cast<double>(deepest));
  port_->result("headroom_bytes", static_cast<double>(headroom));
  if (plan_->options.painted) return;
  port_->result("resident_bytes_per_stack",
                static_cast<double>(resident) / static_cast<double>(beds_.size()));
}

/// What a tenancy costs: coming to wait, and going.
struct Clocks {
  explicit Clocks(std::chrono::nanoseconds measure_for) : create{measure_for}, end{measure_for} {}

  void report(Port& port) const {
    create.report(port, "create");
    port.result("ns_per_end", end.values());
  }

  Rounds create;
  Rounds end;
};

template <class B>
void move_in(Tenants<B>& tenants, const Plan& plan, Rounds& clock) {
  clock.begin();
  tenants.move_in(plan.depth);
  clock.end(plan.tasks);
}

template <class B>
void move_out(Tenants<B>& tenants, const Plan& plan, Rounds& clock) {
  clock.begin();
  tenants.move_out();
  clock.end(plan.tasks);
}

/// Runs `body` as the first task, so that it has the first stack.
template <class B, class Body>
void run_first(Port& port, Tenants<B>& tenants, Body body) {
  if (const auto error = tenants.runtime().spawn(std::move(body))) port.give_up(refusal(error, 0));
  tenants.runtime().run();
  if (!tenants.intact()) port.failure("wrong: a call did not find its bytes as it had left them");
}

/// An overflow without guards would hit whatever lies below: so it is met with one beforehand.
template <class B>
void rehearse(Port& port, Plan plan) {
  plan.options.guard = stackful::Guard::mprotect;
  plan.tasks = 1;
  Tenants<B> tenants{port, plan};
  run_first(port, tenants, [&] {
    tenants.move_in(plan.depth);
    tenants.move_out();
  });
}

/// Each time on stacks that nobody has used.
template <class B>
void time_fresh(Port& port, const Plan& plan, Clocks& clocks) {
  do {
    Tenants<B> tenants{port, plan};
    run_first(port, tenants, [&] {
      move_in(tenants, plan, clocks.create);
      move_out(tenants, plan, clocks.end);
    });
  } while (!clocks.create.enough() && !port.failed());
}

/// They stay in for the photograph.
template <class B>
void time_recycled(Tenants<B>& tenants, const Plan& plan, Clocks& clocks) {
  tenants.move_in(plan.earlier_depth());
  tenants.move_out();
  while (true) {
    move_in(tenants, plan, clocks.create);
    if (clocks.create.enough()) return;
    move_out(tenants, plan, clocks.end);
  }
}

void mark(Port& port, std::string_view state, std::uint64_t tasks) {
  port.result("heap_bytes", heap_bytes());
  port.mark(state, tasks);
}

/// The parent looks when nobody has come yet, and when all wait.
template <class B>
void pose(Port& port, Tenants<B>& tenants, const Plan& plan, Clocks& clocks, io::Descriptor line) {
  std::error_code error;
  typename B::Stream go{tenants.runtime(), std::move(line), error};
  std::array<std::byte, 1> byte;
  const auto wait_for_go = [&] {
    if (!error) error = go.read_some(byte).error;
  };
  mark(port, "idle", 0);
  wait_for_go();
  plan.recycled ? time_recycled(tenants, plan, clocks) : tenants.move_in(plan.depth);
  tenants.report_use();
  mark(port, "parked", plan.tasks);
  wait_for_go();
  tenants.move_out();
  if (error) port.failure("failed: waiting for go: " + error.message());
}

template <class C>
void run(Port& port, const Cell& cell) {
  using B = typename C::Backend;
  const Plan plan{cell, options_of<B>(cell)};
  if (plan.options.guard == stackful::Guard::none) rehearse<B>(port, plan);
  Clocks clocks{port.measure_for()};
  if (!plan.recycled) time_fresh<B>(port, plan, clocks);
  if (port.failed()) return;
  Tenants<B> tenants{port, plan};
  std::error_code error;
  io::Descriptor line = port.go_descriptor(B::mode, error);
  if (error) return port.failure("failed: " + error.message());
  run_first(port, tenants, [&, line = std::move(line)]() mutable {
    pose(port, tenants, plan, clocks, std::move(line));
  });
  if (port.failed()) return;
  if (!plan.options.painted) clocks.report(port);
  port.result("stack_bytes", static_cast<double>(pool_of(tenants.runtime()).stack_bytes()));
  port.note(fmt::format("{} pool {}", describe_stacks(plan.options),
                        plan.options.recycling == stackful::Recycling::keep ? "keeps" : "trims"));
}

}  // namespace

void run_stack_map(Port& port, const Cell& cell) {
  with_contender(cell.contender, [&]<class C>() {
    if constexpr (HasStackPool<typename C::Backend>) {
      run<C>(port, cell);
    } else {
      port.failure(fmt::format("refused: {} have no stack pool", C::name));
    }
  });
}

}  // namespace harness
