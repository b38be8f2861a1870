// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <system_error>
#include <utility>

#include "harness/contenders.hpp"
#include "harness/heap.hpp"
#include "harness/limits.hpp"
#include "harness/rounds.hpp"
#include "harness/workloads/options.hpp"
#include "harness/workloads/stacks.hpp"
#include "harness/workloads/tenants.hpp"

namespace harness {

namespace {

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
Clocks time_fresh(Port& port, const Plan& plan) {
  Clocks clocks{port.measure_for()};
  do {
    Tenants<B> tenants{port, plan};
    run_first(port, tenants, [&] {
      move_in(tenants, plan, clocks.create);
      move_out(tenants, plan, clocks.end);
    });
  } while (!clocks.create.enough() && !port.failed());
  return clocks;
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

/// The tasks that the parent looks at.
template <class B>
void show(Port& port, const Plan& plan, Clocks& clocks) {
  std::error_code error;
  io::Descriptor line = port.go_descriptor(B::mode, error);
  if (error) return port.failure("failed: " + error.message());
  Tenants<B> tenants{port, plan};
  run_first(port, tenants, [&, line = std::move(line)]() mutable {
    pose(port, tenants, plan, clocks, std::move(line));
  });
  port.result("stack_bytes", static_cast<double>(pool_of(tenants.runtime()).stack_bytes()));
}

// The parent looks first: of memory that has just gone, the kernel's account tells late.
template <class C>
void run(Port& port, const Cell& cell) {
  using B = typename C::Backend;
  const Plan plan{cell, options_of<B>(cell)};
  if (plan.options.guard == stackful::Guard::none) rehearse<B>(port, plan);
  Clocks clocks{port.measure_for()};
  show<B>(port, plan, clocks);
  if (port.failed()) return;
  if (!plan.recycled && !plan.options.painted) clocks = time_fresh<B>(port, plan);
  if (port.failed()) return;
  if (!plan.options.painted) clocks.report(port);
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
