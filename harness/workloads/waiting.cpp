// SPDX-License-Identifier: BSL-1.0
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/resource_usage.hpp"
#include "harness/workloads/bodies.hpp"
#include "harness/workloads/wake.hpp"

namespace harness {

namespace {

/// What is waited for, and what the waiting costs: a thread beside the room looks at the process
/// before and after, and sleeps meanwhile.
template <class B>
class Vigil {
 public:
  explicit Vigil(typename B::Runtime& runtime) : event{runtime} {}

  void watch(std::chrono::nanoseconds measure_for) {
    while (!arrived_.load()) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    const std::uint64_t turns_before = turns_.load(std::memory_order_relaxed);
    const auto before = ResourceUsage::at_start();
    std::this_thread::sleep_for(measure_for);
    consumption_.emplace(Consumption{before, ResourceUsage::at_end()});
    turns_between_ = turns_.load(std::memory_order_relaxed) - turns_before;
    over_.store(true);
    event.set();
  }
  void arrive() { arrived_.store(true); }
  /// Whoever asks instead of sleeping: whether the waiting is over.
  bool ask() {
    turns_.store(turns_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return over_.load(std::memory_order_relaxed);
  }
  void report(Port& port) const {
    consumption_->report(port, "turn", turns_between_, SystemCallCount::present);
  }

  typename B::Event event;

 private:
  std::atomic<bool> arrived_{false};
  std::atomic<bool> over_{false};
  std::atomic<std::uint64_t> turns_{0};  // written by one task
  std::uint64_t turns_between_ = 0;
  std::optional<Consumption> consumption_;
};

// ---- the bodies: parked, and busy ---------------------------------------------------------------

template <class B>
struct Wait {
  static void direct(Vigil<B>& vigil, bool busy) {
    vigil.arrive();
    if (!busy) return vigil.event.wait();
    while (!vigil.ask()) B::yield();
  }

  class Future : stackless::Immovable {
   public:
    using Output = void;

    Future(Vigil<B>& vigil, bool busy) noexcept : vigil_{&vigil}, busy_{busy} {}

    stackless::Poll<void> poll(stackless::Context& context) {
      vigil_->arrive();
      if (!busy_) return vigil_->event.poll_wait(context);
      if (vigil_->ask()) return stackless::ready;
      context.waker().wake_by_ref();
      return stackless::pending;
    }

   private:
    Vigil<B>* vigil_;
    bool busy_;
  };

  static stackless::Async<void> coroutine(Vigil<B>& vigil, bool busy) {
    vigil.arrive();
    if (!busy) co_return co_await vigil.event.wait();
    while (!vigil.ask()) co_await B::yield();
  }
};

// ---- the cell -----------------------------------------------------------------------------------

template <class C>
void run(Port& port, const Cell& cell) {
  using B = typename C::Backend;
  typename B::Runtime runtime{typename B::Options{}};
  Vigil<B> vigil{runtime};
  const bool busy = cell.text("wait") == "busy";
  if (const auto error = spawn_body<C, Wait<B>>(runtime, vigil, busy)) {
    port.give_up(refusal(error, 0));
  }
  std::jthread beside{[&] {
    vigil.watch(port.measure_for());
  }};
  runtime.run();
  beside.join();
  vigil.report(port);
}

}  // namespace

void run_wait(Port& port, const Cell& cell) {
  with_contender(cell.contender, [&]<class C>() { run<C>(port, cell); });
}

}  // namespace harness
