// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <fmt/format.h>
#include <optional>

#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/bodies.hpp"
#include "harness/workloads/dormitory.hpp"
#include "harness/workloads/memory.hpp"
#include "harness/workloads/options.hpp"
#include "harness/workloads/stack_use.hpp"

namespace harness {

namespace {

// ---- the bodies: one sleeper each ---------------------------------------------------------------

template <class B>
struct Sleep {
  static void direct(Dormitory& dormitory) {
    dormitory.arrive();
    while (!dormitory.released()) B::sleep_until(dormitory.next_look());
    dormitory.leave();
  }

  class Future : stackless::Immovable {
   public:
    using Output = void;

    explicit Future(Dormitory& dormitory) noexcept : dormitory_{&dormitory} {}

    stackless::Poll<void> poll(stackless::Context& context) {
      if (sleep_ && sleep_->poll(context).is_pending()) return stackless::pending;
      if (!sleep_) dormitory_->arrive();
      while (!dormitory_->released()) {
        sleep_.emplace(dormitory_->next_look());
        if (sleep_->poll(context).is_pending()) return stackless::pending;
      }
      dormitory_->leave();
      return stackless::ready;
    }

   private:
    Dormitory* dormitory_;
    std::optional<stackless::Sleep> sleep_;
  };

  static stackless::Async<void> coroutine(Dormitory& dormitory) {
    dormitory.arrive();
    while (!dormitory.released()) co_await B::sleep_until(dormitory.next_look());
    dormitory.leave();
  }
};

// ---- the coordinator: one more task, which waits for *go* like any other ------------------------

template <class C>
struct Coordinate {
  using B = typename C::Backend;
  using Runtime = typename B::Runtime;

  static void direct(Runtime& runtime, Dormitory& dormitory, io::Descriptor port) {
    std::error_code error;
    typename B::Stream go{runtime, std::move(port), error};
    std::array<std::byte, 1> byte;
    dormitory.mark_idle();
    while (!error) {
      const io::Transfer read = go.read_some(byte);
      error = read.error;
      if (!dormitory.quarter_left()) break;
      if (!error) spawn_quarter(runtime, dormitory);
    }
    end(dormitory, error);
  }

  static stackless::Async<void> coroutine(Runtime& runtime, Dormitory& dormitory,
                                          io::Descriptor port) {
    std::error_code error;
    typename B::Stream go{runtime, std::move(port), error};
    std::array<std::byte, 1> byte;
    dormitory.mark_idle();
    while (!error) {
      const io::Transfer read = co_await go.read_some(byte);
      error = read.error;
      if (!dormitory.quarter_left()) break;
      if (!error) spawn_quarter(runtime, dormitory);
    }
    end(dormitory, error);
  }

 private:
  static void spawn_quarter(Runtime& runtime, Dormitory& dormitory) {
    const std::uint64_t count = dormitory.open_quarter();
    for (std::uint64_t made = 0; made < count; ++made) {
      const std::error_code error = spawn_body<C, Sleep<B>>(runtime, dormitory);
      if (error) dormitory.port().give_up(refusal(error, dormitory.expected() - count + made));
    }
  }
  static void end(Dormitory& dormitory, std::error_code error) {
    if (error) dormitory.port().failure("failed: waiting for go: " + error.message());
    dormitory.release();
  }
};

// ---- the cell -----------------------------------------------------------------------------------

template <class C>
void run(Port& port, const Cell& cell) {
  using B = typename C::Backend;
  Dormitory dormitory{port, cell.number("tasks")};
  const auto options = options_of<B>(cell);
  typename B::Runtime runtime{options};
  std::error_code error;
  io::Descriptor go = port.go_descriptor(B::mode, error);
  if (error) return port.failure("failed: " + error.message());
  error = spawn_owner<C, Coordinate<C>>(runtime, go, runtime, dormitory);
  if (error) return port.failure(refusal(error, 0));
  runtime.run();
  if (port.failed()) return;
  report_stacks<B>(port, runtime, options);
  dormitory.report();
}

}  // namespace

void run_sleeping(Port& port, const Cell& cell) {
  const bool known = with_contender(cell.contender, [&]<class C>() { run<C>(port, cell); });
  if (known) return;
  if (cell.contender == "floor-timer") return run_timers_alone(port, cell);
  if (cell.contender == "floor-page") return run_pages_alone(port, cell);
  port.failure(fmt::format("refused: {} does not sleep", cell.contender));
}

}  // namespace harness
