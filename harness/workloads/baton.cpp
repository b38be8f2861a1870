// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/baton.hpp"

#include <deque>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "harness/batches.hpp"
#include "harness/contenders.hpp"
#include "harness/pin.hpp"
#include "harness/workloads/bodies.hpp"
#include "harness/workloads/options.hpp"

namespace harness {

namespace {

/// Who takes part, and the rules. Whoever holds the baton may touch everything: the events order
/// it.
template <class B>
class Ring {
 public:
  using Event = typename B::Event;

  struct Seat {
    Seat(typename B::Runtime& runtime, Ring& in_ring) : baton{runtime}, ring{&in_ring} {}

    /// Called with the baton in hand; whether to stay for another round. A hop costs this
    /// countdown; whoever reaches its end asks the ring what to do.
    bool stays() { return --hops_left != 0 || ring->decide(*this); }

    Event baton;
    Ring* ring;
    Seat* next = nullptr;
    std::uint64_t hops_left = endless;
    std::size_t number = 0;
  };

  /// `spread`: the tasks bring CPUs of their own, one behind the other.
  Ring(typename B::Runtime& runtime, std::size_t tasks, Batches& batches, bool spread)
      : batches_{&batches}, spread_{spread} {
    for (std::size_t number = 0; number < tasks; ++number) {
      seats_.emplace_back(runtime, *this).number = number;
    }
    for (auto& seat : seats_) seat.next = &seats_[(seat.number + 1) % tasks];
    seats_.front().hops_left = 1;
  }

  [[nodiscard]] std::deque<Seat>& seats() noexcept { return seats_; }
  /// A task with a thread of its own, when it begins.
  void settle(const Seat& seat) const {
    if (spread_) pin_this_thread(seat.number);
  }
  /// The first one gets the baton.
  void begin() { seats_.front().baton.set(); }
  /// Empty when every task had its turn in every round; else the first that had not.
  [[nodiscard]] std::optional<std::size_t> cheated() const noexcept {
    if (cheated_) return cheated_;
    for (const auto& seat : seats_) {
      if (seat.hops_left != 0) return seat.number;
    }
    return std::nullopt;
  }

 private:
  static constexpr auto endless = std::numeric_limits<std::uint64_t>::max();

  /// The first task keeps the time; the others get here in the last round only.
  [[gnu::cold, gnu::noinline]] bool decide(Seat& seat) {
    if (&seat != &seats_.front()) return false;
    if (rounds_ == 0) {
      batches_->start();
    } else if (!batches_->lap()) {
      call_last_round();
      return false;
    }
    rounds_ += seat.hops_left = batches_->rounds();
    return true;
  }

  void call_last_round() {
    for (auto& seat : seats_) {
      if (&seat == &seats_.front()) continue;
      if (endless - seat.hops_left != rounds_ && !cheated_) cheated_ = seat.number;
      seat.hops_left = 1;
    }
  }

  std::deque<Seat> seats_;
  Batches* batches_;
  std::uint64_t rounds_ = 0;
  std::optional<std::size_t> cheated_;
  bool spread_;
};

// ---- the bodies ---------------------------------------------------------------------------------

template <class B>
struct PassOn {
  using Seat = typename Ring<B>::Seat;

  static void direct(Seat& seat) {
    seat.ring->settle(seat);
    auto& next = seat.next->baton;
    for (bool stays = true; stays;) {
      seat.baton.wait();
      stays = seat.stays();
      next.set();
    }
  }

  class Future : stackless::Immovable {
   public:
    using Output = void;

    explicit Future(Seat& seat) noexcept : seat_{&seat}, next_{&seat.next->baton} {}

    stackless::Poll<void> poll(stackless::Context& context) {
      while (seat_->baton.poll_wait(context).is_ready()) {
        const bool stays = seat_->stays();
        next_->set();
        if (!stays) return stackless::ready;
      }
      return stackless::pending;
    }

   private:
    Seat* seat_;
    typename B::Event* next_;
  };

  static stackless::Async<void> coroutine(Seat& seat) {
    auto& next = seat.next->baton;
    for (bool stays = true; stays;) {
      co_await seat.baton.wait();
      stays = seat.stays();
      next.set();
    }
  }
};

// ---- the cell -----------------------------------------------------------------------------------

template <class C>
void run(Port& port, const Cell& cell) {
  using B = typename C::Backend;
  const auto tasks = static_cast<std::size_t>(cell.number("tasks"));
  Batches batches{port.measure_for(), tasks};
  typename B::Runtime runtime{options_of<B>(cell)};
  Ring<B> ring{runtime, tasks, batches, cell.number("cpus", 1) > 1};
  spawn_each<C, PassOn<B>>(port, runtime, ring.seats());
  ring.begin();
  runtime.run();
  if (const auto who = ring.cheated()) {
    return port.failure(fmt::format("wrong: task {} of {} missed its turn", *who, tasks));
  }
  batches.report(port, "switch");
}

void run_either(Port& port, const Cell& cell) {
  const bool spread = cell.number("cpus", 1) > 1;
  with_contender(cell.contender, [&]<class C>() {
    if (spread && C::Backend::mode != io::Mode::blocking) {  // two CPUs need two workers
      return port.failure(fmt::format("refused: {} run on one worker here", C::name));
    }
    cell.text("via") == "yield" ? run_yield(port, cell) : run<C>(port, cell);
  });
}

}  // namespace

std::vector<Subject> baton_subjects() {
  return subjects_of("switch", []<class C>() { return &run_either; });
}

}  // namespace harness
