// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <atomic>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "harness/contenders.hpp"
#include "harness/heap.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/memory.hpp"
#include "harness/workloads/options.hpp"

namespace harness {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t quarters = 4;

/// Who has come to sleep, and whether it is over. Sleepers keep nothing but a reference to it.
class Dormitory {
 public:
  Dormitory(Port& port, std::uint64_t tasks)
      : port_{&port}, tasks_{tasks}, nap_{1s + std::chrono::seconds{tasks / 250'000}} {}

  /// The coordinator: how many more are to be spawned for this quarter; the time runs.
  std::uint64_t open_quarter() {
    const std::uint64_t before = tasks_ * quarter_ / quarters;
    ++quarter_;
    expected_.store(tasks_ * quarter_ / quarters);
    began_ = io::Clock::now();
    return tasks_ * quarter_ / quarters - before;
  }
  /// How many there shall be at the end of this quarter.
  [[nodiscard]] std::uint64_t expected() const noexcept { return expected_.load(); }
  [[nodiscard]] bool quarter_left() const noexcept { return quarter_ < quarters; }
  void release() noexcept { released_.store(true); }

  /// A sleeper, when it is about to sleep for the first time.
  void arrive() {
    const std::uint64_t now_here = arrived_.fetch_add(1) + 1;
    if (now_here == expected_.load()) close_quarter(now_here);
  }
  /// Sleepers look up now and then, so that they can end: seldom enough to disturb no photograph.
  [[nodiscard]] io::TimePoint next_look() const { return io::Clock::now() + nap_; }
  [[nodiscard]] bool released() const noexcept { return released_.load(std::memory_order_relaxed); }
  void leave() noexcept { left_.fetch_add(1); }

  void mark_idle() {
    port_->result("heap_bytes", heap_bytes());
    port_->mark("idle", 0);
  }
  void report() {
    if (left_.load() != tasks_) {
      return port_->failure(fmt::format("wrong: {} of {} tasks ended", left_.load(), tasks_));
    }
    port_->result("create_ns_per_task", create_ns_);
  }
  [[nodiscard]] Port& port() noexcept { return *port_; }

 private:
  void close_quarter(std::uint64_t now_here) {
    const std::chrono::duration<double, std::nano> took = io::Clock::now() - began_;
    const auto fresh = now_here - tasks_ * (quarter_ - 1) / quarters;
    create_ns_[quarter_ - 1] = took.count() / static_cast<double>(fresh);
    port_->result("heap_bytes", heap_bytes());
    port_->mark("parked", now_here);
  }

  Port* port_;
  std::uint64_t tasks_;
  std::chrono::nanoseconds nap_;
  std::uint64_t quarter_ = 0;
  io::TimePoint began_;
  std::array<double, quarters> create_ns_{};
  std::atomic<std::uint64_t> expected_{0};
  std::atomic<std::uint64_t> arrived_{0};
  std::atomic<std::uint64_t> left_{0};
  std::atomic<bool> released_{false};
};

// ---- the bodies: one sleeper each ---------------------------------------------------------------

template <class B>
void sleep_direct(Dormitory& dormitory) {
  dormitory.arrive();
  while (!dormitory.released()) B::sleep_until(dormitory.next_look());
  dormitory.leave();
}

class Sleeper : stackless::Immovable {
 public:
  using Output = void;

  explicit Sleeper(Dormitory& dormitory) noexcept : dormitory_{&dormitory} {}

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

template <class B>
stackless::Async<void> sleep_coroutine(Dormitory& dormitory) {
  dormitory.arrive();
  while (!dormitory.released()) co_await B::sleep_until(dormitory.next_look());
  dormitory.leave();
}

// ---- the coordinator: one more task, which waits for *go* like any other ------------------------

template <class C>
void spawn_quarter(typename C::Backend::Runtime& runtime, Dormitory& dormitory) {
  using B = typename C::Backend;
  const std::uint64_t count = dormitory.open_quarter();
  for (std::uint64_t made = 0; made < count; ++made) {
    std::error_code error;
    if constexpr (C::dialect == Dialect::direct) {
      error = runtime.spawn([&dormitory] { sleep_direct<B>(dormitory); });
    } else if constexpr (C::dialect == Dialect::future) {
      error = runtime.spawn([&dormitory] { return Sleeper{dormitory}; });
    } else {
      error = runtime.spawn([&dormitory] { return sleep_coroutine<B>(dormitory); });
    }
    if (error) dormitory.port().give_up(refusal(error, dormitory.expected() - count + made));
  }
}

template <class C>
void coordinate_direct(typename C::Backend::Runtime& runtime, io::Descriptor port,
                       Dormitory& dormitory) {
  std::error_code error;
  typename C::Backend::Stream go{runtime, std::move(port), error};
  std::array<std::byte, 1> byte;
  dormitory.mark_idle();
  while (!error) {
    const io::Transfer read = go.read_some(byte);
    error = read.error;
    if (!dormitory.quarter_left()) break;
    if (!error) spawn_quarter<C>(runtime, dormitory);
  }
  if (error) dormitory.port().failure("failed: waiting for go: " + error.message());
  dormitory.release();
}

template <class C>
stackless::Async<void> coordinate_coroutine(typename C::Backend::Runtime& runtime,
                                            io::Descriptor port, Dormitory& dormitory) {
  std::error_code error;
  typename C::Backend::Stream go{runtime, std::move(port), error};
  std::array<std::byte, 1> byte;
  dormitory.mark_idle();
  while (!error) {
    const io::Transfer read = co_await go.read_some(byte);
    error = read.error;
    if (!dormitory.quarter_left()) break;
    if (!error) spawn_quarter<C>(runtime, dormitory);
  }
  if (error) dormitory.port().failure("failed: waiting for go: " + error.message());
  dormitory.release();
}

template <class C>
void run(Port& port, const Cell& cell) {
  using B = typename C::Backend;
  Dormitory dormitory{port, cell.number("tasks")};
  const auto options = options_of<B>(cell);
  typename B::Runtime runtime{options};
  std::error_code error;
  io::Descriptor go = port.go_descriptor(B::mode, error);
  if (error) return port.failure("failed: " + error.message());
  if constexpr (C::dialect == Dialect::direct) {
    error = runtime.spawn([&, go = std::move(go)]() mutable {
      coordinate_direct<C>(runtime, std::move(go), dormitory);
    });
  } else {
    error =
        runtime.spawn([&] { return coordinate_coroutine<C>(runtime, std::move(go), dormitory); });
  }
  if (error) return port.failure(refusal(error, 0));
  runtime.run();
  if (port.failed()) return;
  port.result("own_stacks", HasStacks<B> ? 1 : 0);
  if (const auto stacks = describe_stacks(options); !stacks.empty()) port.note(stacks);
  dormitory.report();
}

}  // namespace

std::vector<Subject> sleeping_subjects() {
  std::vector<Subject> subjects;
  for_each_contender([&]<class C>() { subjects.push_back({"memory", C::name, &run<C>}); });
  return subjects;
}

}  // namespace harness
