// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <atomic>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <vector>

#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/arrivals.hpp"
#include "harness/workloads/bodies.hpp"
#include "harness/workloads/memory.hpp"
#include "harness/workloads/options.hpp"
#include "io/timing_wheel.hpp"

namespace harness {

namespace {

using namespace std::chrono_literals;

/// Who has come to sleep, and whether it is over. Sleepers keep nothing but a reference to it.
class Dormitory {
 public:
  Dormitory(Port& port, std::uint64_t tasks)
      : arrivals_{port, tasks}, nap_{1s + std::chrono::seconds{tasks / 250'000}} {}

  [[nodiscard]] Port& port() noexcept { return arrivals_.port(); }
  void mark_idle() noexcept { arrivals_.mark_idle(); }

  /// The coordinator: how many more are to be spawned for this quarter; the time runs.
  std::uint64_t open_quarter() {
    ++quarter_;
    began_ = io::Clock::now();
    return expected() - arrivals_.expected(quarter_ - 1);
  }
  /// How many there shall be at the end of this quarter.
  [[nodiscard]] std::uint64_t expected() const noexcept { return arrivals_.expected(quarter_); }
  [[nodiscard]] bool quarter_left() const noexcept { return quarter_ < Arrivals::quarters; }
  void release() noexcept { released_.store(true); }

  /// A sleeper, when it is about to sleep for the first time.
  void arrive() {
    if (!arrivals_.arrive()) return;
    const std::chrono::duration<double, std::nano> took = io::Clock::now() - began_;
    const auto fresh = expected() - arrivals_.expected(quarter_ - 1);
    create_ns_[quarter_ - 1] = took.count() / static_cast<double>(fresh);
    arrivals_.mark_parked();
  }
  /// Sleepers look up now and then, so that they can end: seldom enough to disturb no photograph.
  [[nodiscard]] io::TimePoint next_look() const { return io::Clock::now() + nap_; }
  [[nodiscard]] bool released() const noexcept { return released_.load(std::memory_order_relaxed); }
  void leave() noexcept { arrivals_.leave(); }

  void report() {
    if (arrivals_.all_left()) port().result("create_ns_per_task", create_ns_);
  }

 private:
  Arrivals arrivals_;
  std::chrono::nanoseconds nap_;
  std::uint64_t quarter_ = 0;
  io::TimePoint began_;
  std::array<double, Arrivals::quarters> create_ns_{};
  std::atomic<bool> released_{false};
};

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
  port.result("own_stacks", HasStacks<B> ? 1 : 0);
  if (const auto stacks = describe_stacks(options); !stacks.empty()) port.note(stacks);
  dormitory.report();
}

// ---- the floor ----------------------------------------------------------------------------------

/// Owned by the wheel, as it were: it ends when it fires.
struct BareTimer : io::Timer {
  BareTimer() noexcept {
    notify = [](io::Waiter& self) noexcept {
      delete static_cast<BareTimer*>(&self);
    };
  }
};

void run_floor(Port& port, const Cell& cell) {
  const io::TimePoint now = io::Clock::now();
  const io::TimePoint alarm = now + 1h;
  io::TimingWheel wheel{now};
  Dormitory dormitory{port, cell.number("tasks")};
  std::error_code error;
  const io::Descriptor go = port.go_descriptor(io::Mode::blocking, error);
  std::array<std::byte, 1> byte;
  dormitory.mark_idle();
  while (!error) {
    error = io::read_some(go.get(), byte).error;
    if (!dormitory.quarter_left()) break;
    for (std::uint64_t left = error ? 0 : dormitory.open_quarter(); left != 0; --left) {
      wheel.insert(*std::make_unique<BareTimer>().release(), alarm);
      dormitory.arrive();
    }
  }
  for (std::size_t fired = wheel.advance(alarm + 1s); fired != 0; --fired) dormitory.leave();
  if (error) return port.failure("failed: waiting for go: " + error.message());
  dormitory.report();
}

}  // namespace

void run_sleeping(Port& port, const Cell& cell) {
  const bool known = with_contender(cell.contender, [&]<class C>() { run<C>(port, cell); });
  if (known) return;
  if (cell.contender == "floor-timer") return run_floor(port, cell);
  port.failure(fmt::format("refused: {} does not sleep", cell.contender));
}

}  // namespace harness
