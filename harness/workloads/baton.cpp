// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/baton.hpp"

#include <atomic>
#include <deque>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "harness/batches.hpp"
#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/pin.hpp"

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

  Ring(typename B::Runtime& runtime, std::size_t tasks, Batches& batches) : batches_{&batches} {
    for (std::size_t number = 0; number < tasks; ++number) {
      seats_.emplace_back(runtime, *this).number = number;
    }
    for (auto& seat : seats_) seat.next = &seats_[(seat.number + 1) % tasks];
    seats_.front().hops_left = 1;
  }

  [[nodiscard]] std::deque<Seat>& seats() noexcept { return seats_; }
  /// Before all tasks have come to sit, or after: the first one gets the baton.
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
  bool decide(Seat& seat) {
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
};

/// The rules of `via:yield`: no baton, so the order is the room's own. A hop is one yield.
template <class B>
class Crowd {
 public:
  struct Seat {
    Seat(typename B::Runtime&, Crowd& in_crowd) : crowd{&in_crowd} {}

    bool stays() {
      hops.store(hops.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      if (this == &crowd->seats_.front() && --crowd->rounds_left_ == 0) crowd->keep_time();
      return !crowd->over_.load(std::memory_order_relaxed);
    }

    Crowd* crowd;
    std::atomic<std::uint64_t> hops{0};
    std::size_t number = 0;
  };

  Crowd(typename B::Runtime& runtime, std::size_t tasks, Batches& batches) : batches_{&batches} {
    for (std::size_t number = 0; number < tasks; ++number) {
      seats_.emplace_back(runtime, *this).number = number;
    }
  }

  [[nodiscard]] std::deque<Seat>& seats() noexcept { return seats_; }
  void begin() noexcept {}
  [[nodiscard]] std::optional<std::size_t> cheated() const noexcept {
    for (const auto& seat : seats_) {
      if (seat.hops.load() == 0) return seat.number;
    }
    return std::nullopt;
  }

 private:
  /// The first round only sees to it that all have come.
  void keep_time() {
    const std::uint64_t all = total();
    if (counted_ == 0) {
      batches_->start();
    } else if (!batches_->lap(all - counted_)) {
      over_.store(true, std::memory_order_relaxed);
    }
    counted_ = all;
    rounds_left_ = batches_->rounds();
  }

  [[nodiscard]] std::uint64_t total() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& seat : seats_) sum += seat.hops.load(std::memory_order_relaxed);
    return sum;
  }

  std::deque<Seat> seats_;
  Batches* batches_;
  std::uint64_t rounds_left_ = 1;
  std::uint64_t counted_ = 0;
  std::atomic<bool> over_{false};
};

// ---- the bodies ---------------------------------------------------------------------------------

template <class B>
void pass_on_direct(typename Ring<B>::Seat& seat) {
  for (bool stays = true; stays;) {
    seat.baton.wait();
    stays = seat.stays();
    seat.next->baton.set();
  }
}

template <class B>
class PassOn : stackless::Immovable {
 public:
  using Output = void;

  explicit PassOn(typename Ring<B>::Seat& seat) noexcept : seat_{&seat} {}

  stackless::Poll<void> poll(stackless::Context& context) {
    while (seat_->baton.poll_wait(context).is_ready()) {
      const bool stays = seat_->stays();
      seat_->next->baton.set();
      if (!stays) return stackless::ready;
    }
    return stackless::pending;
  }

 private:
  typename Ring<B>::Seat* seat_;
};

template <class B>
stackless::Async<void> pass_on_coroutine(typename Ring<B>::Seat& seat) {
  for (bool stays = true; stays;) {
    co_await seat.baton.wait();
    stays = seat.stays();
    seat.next->baton.set();
  }
}

template <class B>
void make_way_direct(typename Crowd<B>::Seat& seat) {
  while (seat.stays()) B::yield();
}

template <class B>
class MakeWay : stackless::Immovable {
 public:
  using Output = void;

  explicit MakeWay(typename Crowd<B>::Seat& seat) noexcept : seat_{&seat} {}

  stackless::Poll<void> poll(stackless::Context& context) {
    while (!yielding_ || yielding_->poll(context).is_ready()) {
      yielding_.reset();
      if (!seat_->stays()) return stackless::ready;
      yielding_.emplace();
      if (yielding_->poll(context).is_pending()) break;
    }
    return stackless::pending;
  }

 private:
  typename Crowd<B>::Seat* seat_;
  std::optional<stackless::Yield> yielding_;
};

template <class B>
stackless::Async<void> make_way_coroutine(typename Crowd<B>::Seat& seat) {
  while (seat.stays()) co_await B::yield();
}

// ---- the cell -----------------------------------------------------------------------------------

template <class C>
std::error_code spawn(typename C::Backend::Runtime& runtime,
                      typename Ring<typename C::Backend>::Seat& seat, const Cell& cell) {
  using B = typename C::Backend;
  if constexpr (C::dialect == Dialect::direct) {
    const bool spread = cell.number("cpus", 1) > 1;
    return runtime.spawn([&seat, spread] {
      if (spread) pin_this_thread(seat.number);
      pass_on_direct<B>(seat);
    });
  } else if constexpr (C::dialect == Dialect::future) {
    return runtime.spawn([&seat] { return PassOn<B>{seat}; });
  } else {
    return runtime.spawn([&seat] { return pass_on_coroutine<B>(seat); });
  }
}

template <class C>
std::error_code spawn(typename C::Backend::Runtime& runtime,
                      typename Crowd<typename C::Backend>::Seat& seat, const Cell&) {
  using B = typename C::Backend;
  if constexpr (C::dialect == Dialect::direct) {
    return runtime.spawn([&seat] { make_way_direct<B>(seat); });
  } else if constexpr (C::dialect == Dialect::future) {
    return runtime.spawn([&seat] { return MakeWay<B>{seat}; });
  } else {
    return runtime.spawn([&seat] { return make_way_coroutine<B>(seat); });
  }
}

template <class C, template <class> class Rules>
void play(Port& port, const Cell& cell) {
  using B = typename C::Backend;
  const auto tasks = static_cast<std::size_t>(cell.number("tasks"));
  Batches batches{port.measure_for(), tasks};
  typename B::Runtime runtime{typename B::Options{}};
  Rules<B> rules{runtime, tasks, batches};
  for (auto& seat : rules.seats()) {
    if (const auto error = spawn<C>(runtime, seat, cell)) port.give_up(refusal(error, seat.number));
  }
  rules.begin();
  runtime.run();
  if (const auto who = rules.cheated()) {
    return port.failure(fmt::format("wrong: task {} of {} missed its turn", *who, tasks));
  }
  batches.report(port, "switch");
}

template <class C>
void run(Port& port, const Cell& cell) {
  if (cell.number("cpus", 1) > 1 && C::Backend::mode != io::Mode::blocking) {
    return port.failure(refusal("workers", 1, 1));  // two CPUs need two workers
  }
  if (cell.text("via", "event") == "yield") return play<C, Crowd>(port, cell);
  play<C, Ring>(port, cell);
}

}  // namespace

std::vector<Subject> baton_subjects() {
  std::vector<Subject> subjects;
  for_each_contender([&]<class C>() { subjects.push_back({"switch", C::name, &run<C>}); });
  return subjects;
}

}  // namespace harness
