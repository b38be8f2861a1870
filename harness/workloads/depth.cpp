// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/depth.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <fmt/format.h>
#include <optional>

#include "harness/batches.hpp"
#include "harness/contenders.hpp"
#include "harness/heap.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/bodies.hpp"
#include "harness/workloads/crowd.hpp"
#include "harness/workloads/options.hpp"

namespace harness {

namespace {

constexpr std::size_t tasks = 2;
constexpr std::size_t stack_bytes = std::size_t{4} << 20;

/// How far down a task goes, and what it has found on its way there and back.
struct Descent {
  std::size_t levels;
  std::size_t intact = 0;     ///< levels of the chain, counted from one to the next after the wait
  std::size_t came_back = 0;  ///< levels returned through
  double bytes = 0;           ///< from the first level to the last: what the others hold
};

/// A level's own variable. The deeper ones lead to it, so every level is a call and keeps a frame.
struct Call {
  const Call* caller;
};

std::size_t count(const Call* call) {
  std::size_t calls = 0;
  for (; call != nullptr; call = call->caller) ++calls;
  return calls;
}

double bytes_to_the_first(const Call& last) {
  const Call* first = &last;
  while (first->caller != nullptr) first = first->caller;
  return static_cast<double>(reinterpret_cast<std::uintptr_t>(first) -
                             reinterpret_cast<std::uintptr_t>(&last));
}

// ---- the bodies: so many calls down, then make way until the end --------------------------------

template <class B>
struct Descend {
  using Seat = typename Crowd<B>::Seat;

  static void direct(Seat& seat, Descent& descent) {
    descent.came_back = descend(seat, descent, descent.levels);
  }

  /// One level: a future that polls the one it waits for, and the last one makes way. That one lies
  /// elsewhere, as if it were boxed, and to poll it is a call: a depth that is told when the
  /// program runs can be in no type. Levels that a type holds, which are inlined, are
  /// bench-compose's.
  class Level : stackless::Immovable {
   public:
    using Output = std::size_t;

    Level(Seat& seat, Level* inner) noexcept : seat_{&seat}, inner_{inner} {}

    [[gnu::noinline]] stackless::Poll<std::size_t> poll(stackless::Context& context) {
      if (inner_ == nullptr) return make_way(context);
      auto below = inner_->poll(context);
      if (below.is_pending()) return stackless::pending;
      return below.take() + 1;
    }

    /// This level and those below.
    [[nodiscard]] std::size_t count() const noexcept {
      std::size_t levels = 0;
      for (const Level* level = this; level != nullptr; level = level->inner_) ++levels;
      return levels;
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

    Seat* seat_;
    Level* inner_;
    std::optional<stackless::Yield> yielding_;
  };

  /// The outermost future: owns the levels and says where they came back from.
  class Future : stackless::Immovable {
   public:
    using Output = void;

    Future(Seat& seat, Descent& descent) : descent_{&descent} {
      Level* inner = nullptr;
      while (levels_.size() != descent.levels) inner = &levels_.emplace_back(seat, inner);
    }

    stackless::Poll<void> poll(stackless::Context& context) {
      auto levels = levels_.back().poll(context);
      if (levels.is_pending()) return stackless::pending;
      descent_->came_back = levels.take();
      descent_->intact = levels_.back().count();
      descent_->bytes = static_cast<double>((levels_.size() - 1) * sizeof(Level));
      return stackless::ready;
    }

   private:
    std::deque<Level> levels_;
    Descent* descent_;
  };

  static stackless::Async<void> coroutine(Seat& seat, Descent& descent) {
    descent.came_back = co_await descend_coroutine(seat, descent, descent.levels);
  }

 private:
  [[gnu::noinline]] static std::size_t descend(Seat& seat, Descent& descent, std::size_t levels,
                                               const Call* caller = nullptr) {
    const Call self{caller};
    if (levels > 1) return descend(seat, descent, levels - 1, &self) + 1;
    while (seat.stays()) B::yield();
    descent.intact = count(&self);
    descent.bytes = bytes_to_the_first(self);
    return 1;
  }

  static stackless::Async<std::size_t> descend_coroutine(Seat& seat, Descent& descent,
                                                         std::size_t levels,
                                                         const Call* caller = nullptr) {
    const Call self{caller};
    if (caller == nullptr) descent.bytes = -heap_bytes();
    if (levels > 1) co_return co_await descend_coroutine(seat, descent, levels - 1, &self) + 1;
    descent.bytes += heap_bytes();
    while (seat.stays()) co_await B::yield();
    descent.intact = count(&self);
    co_return 1;
  }
};

// ---- the cell -----------------------------------------------------------------------------------

/// Ends the cell: as a row with its figures, or as `wrong:`.
void conclude(Port& port, const Batches& batches, const std::array<Descent, tasks>& descents) {
  for (const auto& [levels, intact, came_back, bytes] : descents) {
    if (intact != levels || came_back != levels) {
      return port.failure(fmt::format("wrong: of {} levels {} were intact, {} came back", levels,
                                      intact, came_back));
    }
  }
  batches.report(port, "switch");
  const Descent& first = descents.front();
  if (first.levels > 1) {
    port.result("bytes_per_level", first.bytes / static_cast<double>(first.levels - 1));
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
  std::array<Descent, tasks> descents{Descent{levels}, Descent{levels}};
  for (auto& seat : crowd.seats()) {
    const auto error = spawn_body<C, Descend<B>>(runtime, seat, descents[seat.number]);
    if (error) port.give_up(refusal(error, seat.number));
  }
  runtime.run();
  conclude(port, batches, descents);
}

}  // namespace

std::vector<Subject> depth_subjects() {
  return subjects_of("depth", []<class C>() { return &run<C>; });
}

}  // namespace harness
