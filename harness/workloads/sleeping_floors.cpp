// SPDX-License-Identifier: BSL-1.0
// What sleepers stand on, made a quarter at each *go* like them, and nobody who sleeps.
#include <array>
#include <chrono>
#include <memory>

#include "harness/contenders.hpp"
#include "harness/floors/guarded_pages.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/dormitory.hpp"
#include "harness/workloads/memory.hpp"
#include "harness/workloads/options.hpp"
#include "io/timing_wheel.hpp"

namespace harness {

namespace {

using namespace std::chrono_literals;

/// `make` makes the next of them; `end_all` ends them and returns how many have ended.
template <class Make, class EndAll>
void run(Port& port, const Cell& cell, Make make, EndAll end_all) {
  Dormitory dormitory{port, cell.number("tasks")};
  std::error_code error;
  const io::Descriptor go = port.go_descriptor(io::Mode::blocking, error);
  std::array<std::byte, 1> byte;
  dormitory.mark_idle();
  while (!error) {
    error = io::read_some(go.get(), byte).error;
    if (!dormitory.quarter_left()) break;
    const std::uint64_t fresh = error ? 0 : dormitory.open_quarter();
    for (std::uint64_t made = 0; made < fresh; ++made) {
      if (const std::error_code limit = make()) {
        port.give_up(refusal(limit, dormitory.expected() - fresh + made));
      }
      dormitory.arrive();
    }
  }
  for (std::uint64_t ended = end_all(); ended != 0; --ended) dormitory.leave();
  if (error) return port.failure("failed: waiting for go: " + error.message());
  dormitory.report();
}

/// Owned by the wheel, as it were: it ends when it fires.
struct BareTimer : io::Timer {
  BareTimer() noexcept {
    notify = [](io::Waiter& self) noexcept {
      delete static_cast<BareTimer*>(&self);
    };
  }
};

}  // namespace

void run_timers_alone(Port& port, const Cell& cell) {
  const io::TimePoint now = io::Clock::now();
  const io::TimePoint alarm = now + 1h;
  io::TimingWheel wheel{now};
  const auto make = [&] {
    wheel.insert(*std::make_unique<BareTimer>().release(), alarm);
    return std::error_code{};
  };
  run(port, cell, make, [&] { return wheel.advance(alarm + 1s); });
}

void run_pages_alone(Port& port, const Cell& cell) {
  const auto options = options_of<stackful::Backend>(cell);
  const auto tasks = static_cast<std::size_t>(cell.number("tasks"));
  floors::GuardedPages pages{tasks, options.stack_bytes, stackful::name(options.guard)};
  port.result("own_stacks", 1);
  port.note(describe_stacks(options));
  run(
      port, cell, [&] { return pages.make(1); }, [&] { return pages.made(); });
}

}  // namespace harness
