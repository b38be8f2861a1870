// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/depth.hpp"

#include <array>
#include <cstddef>
#include <deque>
#include <fmt/format.h>
#include <optional>

#include "harness/batches.hpp"
#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/crowd.hpp"
#include "harness/workloads/options.hpp"

namespace harness {

namespace {

constexpr std::size_t tasks = 2;
constexpr std::size_t stack_bytes = std::size_t{4} << 20;

template <class B>
using Seat = typename Crowd<B>::Seat;

// ---- the bodies: D calls down, then make way until the end ------------------------------------

/// Returns the levels it has come back through: work after the call, so that it stays a call.
template <class B>
[[gnu::noinline]] std::size_t descend_direct(Seat<B>& seat, std::size_t levels) {
  if (levels > 1) return descend_direct<B>(seat, levels - 1) + 1;
  while (seat.stays()) B::yield();
  return 1;
}

/// One level: a future that polls the one it waits for, and the last one makes way.
template <class B>
class Level : stackless::Immovable {
 public:
  using Output = std::size_t;

  Level(Seat<B>& seat, Level* inner) noexcept : seat_{&seat}, inner_{inner} {}

  [[gnu::noinline]] stackless::Poll<std::size_t> poll(stackless::Context& context) {
    if (inner_ == nullptr) return make_way(context);
    auto below = inner_->poll(context);
    if (below.is_pending()) return stackless::pending;
    return below.take() + 1;
  }

 private:
  stackless::Poll<std::size_t> make_way(stackless::Context& context) {
    while (!yielding_ || yielding_->poll(context).is_ready()) {
      yielding_.reset();
      if (!seat_->stays()) return std::size_t{1};
      yielding_.emplace();
    }
    return stackless::pending;
  }

  Seat<B>* seat_;
  Level* inner_;
  std::optional<stackless::Yield> yielding_;
};

template <class B>
stackless::Async<std::size_t> descend_coroutine(Seat<B>& seat, std::size_t levels) {
  if (levels > 1) co_return co_await descend_coroutine<B>(seat, levels - 1) + 1;
  while (seat.stays()) co_await B::yield();
  co_return 1;
}

/// Each body says where it has come back from.
template <class B>
void record_direct(Seat<B>& seat, std::size_t levels, std::size_t& came_back) {
  came_back += descend_direct<B>(seat, levels);
}

template <class B>
class Record : stackless::Immovable {
 public:
  using Output = void;

  Record(Seat<B>& seat, std::size_t levels, std::size_t& came_back) : came_back_{&came_back} {
    Level<B>* inner = nullptr;
    while (levels_.size() != levels) inner = &levels_.emplace_back(seat, inner);
  }

  stackless::Poll<void> poll(stackless::Context& context) {
    auto levels = levels_.back().poll(context);
    if (levels.is_pending()) return stackless::pending;
    *came_back_ += levels.take();
    return stackless::ready;
  }

 private:
  std::deque<Level<B>> levels_;
  std::size_t* came_back_;
};

template <class B>
stackless::Async<void> record_coroutine(Seat<B>& seat, std::size_t levels, std::size_t& came_back) {
  came_back += co_await descend_coroutine<B>(seat, levels);
}

// ---- the cell -----------------------------------------------------------------------------------

template <class C>
std::error_code spawn(typename C::Backend::Runtime& runtime, Seat<typename C::Backend>& seat,
                      std::size_t levels, std::size_t& came_back) {
  using B = typename C::Backend;
  if constexpr (C::dialect == Dialect::direct) {
    return runtime.spawn([&, levels] { record_direct<B>(seat, levels, came_back); });
  } else if constexpr (C::dialect == Dialect::future) {
    return runtime.spawn([&, levels] { return Record<B>{seat, levels, came_back}; });
  } else {
    return runtime.spawn([&, levels] { return record_coroutine<B>(seat, levels, came_back); });
  }
}

template <class C>
void run(Port& port, const Cell& cell) {
  using B = typename C::Backend;
  const auto levels = static_cast<std::size_t>(cell.number("levels"));
  typename B::Options options{};
  if constexpr (HasStacks<B>) options.stack_bytes = stack_bytes;
  Batches batches{port.measure_for(), tasks};
  typename B::Runtime runtime{options};
  Crowd<B> crowd{runtime, tasks, batches};
  std::array<std::size_t, tasks> came_back{};
  for (auto& seat : crowd.seats()) {
    const auto error = spawn<C>(runtime, seat, levels, came_back[seat.number]);
    if (error) port.give_up(refusal(error, seat.number));
  }
  runtime.run();
  for (const std::size_t depth : came_back) {
    if (depth != levels) {
      return port.failure(fmt::format("wrong: came back from {} of {} levels", depth, levels));
    }
  }
  batches.report(port, "switch");
}

}  // namespace

std::vector<Subject> depth_subjects() {
  std::vector<Subject> subjects;
  for_each_contender([&]<class C>() { subjects.push_back({"depth", C::name, &run<C>}); });
  return subjects;
}

}  // namespace harness
