// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/spawn.hpp"

#include <atomic>
#include <deque>
#include <fmt/format.h>

#include "harness/batches.hpp"
#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/bodies.hpp"

namespace harness {

namespace {

/// What the tasks of a cell share.
template <class C>
struct Nursery {
  using Runtime = typename C::Backend::Runtime;
  using Event = typename C::Backend::Event;

  Nursery(Port& to_parent, Runtime& in_runtime, std::size_t alive)
      : port{to_parent},
        runtime{in_runtime},
        batches{to_parent.measure_for(), 1},
        done{in_runtime} {
    for (std::size_t i = 0; i < alive; ++i) beds.emplace_back(in_runtime);
  }

  /// A parked task, once, before it waits.
  void arrive() {
    if (parked.fetch_add(1) + 1 == beds.size()) done.set();
  }
  /// The whole work of a newborn. One is alive at a time, and the event hands its write over.
  void live() {
    ++lives;
    done.set();
  }
  void bear();
  void wake_all() {
    for (auto& bed : beds) bed.set();
  }

  Port& port;
  Runtime& runtime;
  Batches batches;
  Event done;
  std::deque<Event> beds;
  std::atomic<std::size_t> parked{0};
  std::atomic<std::size_t> woken{0};
  std::uint64_t births = 0;
  std::uint64_t lives = 0;
};

// ---- the bodies: one that stays parked, one that is born and dies, one that bears ---------------

template <class C>
struct Park {
  using Event = typename Nursery<C>::Event;

  static void direct(Event& bed, Nursery<C>& nursery) {
    nursery.arrive();
    bed.wait();
    nursery.woken.fetch_add(1);
  }

  class Future : stackless::Immovable {
   public:
    using Output = void;

    Future(Event& bed, Nursery<C>& nursery) noexcept : nursery_{&nursery}, bed_{&bed} {}

    stackless::Poll<void> poll(stackless::Context& context) {
      if (!arrived_) nursery_->arrive();
      arrived_ = true;
      if (bed_->poll_wait(context).is_pending()) return stackless::pending;
      nursery_->woken.fetch_add(1);
      return stackless::ready;
    }

   private:
    Nursery<C>* nursery_;
    Event* bed_;
    bool arrived_ = false;
  };

  static stackless::Async<void> coroutine(Event& bed, Nursery<C>& nursery) {
    nursery.arrive();
    co_await bed.wait();
    nursery.woken.fetch_add(1);
  }
};

template <class C>
struct BeBorn {
  static void direct(Nursery<C>& nursery) { nursery.live(); }

  class Future : stackless::Immovable {
   public:
    using Output = void;

    explicit Future(Nursery<C>& nursery) noexcept : nursery_{&nursery} {}

    stackless::Poll<void> poll(stackless::Context&) {
      nursery_->live();
      return stackless::ready;
    }

   private:
    Nursery<C>* nursery_;
  };

  static stackless::Async<void> coroutine(Nursery<C>& nursery) {
    nursery.live();
    co_return;
  }
};

template <class C>
struct Bear {
  static void direct(Nursery<C>& nursery) {
    nursery.done.wait();  // all are parked
    nursery.batches.start();
    do {
      for (auto left = nursery.batches.rounds(); left > 0; --left) {
        nursery.bear();
        nursery.done.wait();
      }
    } while (nursery.batches.lap());
    nursery.wake_all();
  }

  class Future : stackless::Immovable {
   public:
    using Output = void;

    explicit Future(Nursery<C>& nursery) noexcept : nursery_{&nursery} {}

    stackless::Poll<void> poll(stackless::Context& context) {
      while (nursery_->done.poll_wait(context).is_ready()) {
        if (left_ == 0 && !next_batch()) return stackless::ready;
        --left_;
        nursery_->bear();
      }
      return stackless::pending;
    }

   private:
    bool next_batch() {
      auto& batches = nursery_->batches;
      if (!started_) {
        batches.start();
        started_ = true;
      } else if (!batches.lap()) {
        nursery_->wake_all();
        return false;
      }
      left_ = batches.rounds();
      return true;
    }

    Nursery<C>* nursery_;
    std::uint64_t left_ = 0;
    bool started_ = false;
  };

  static stackless::Async<void> coroutine(Nursery<C>& nursery) {
    co_await nursery.done.wait();  // all are parked
    nursery.batches.start();
    do {
      for (auto left = nursery.batches.rounds(); left > 0; --left) {
        nursery.bear();
        co_await nursery.done.wait();
      }
    } while (nursery.batches.lap());
    nursery.wake_all();
  }
};

// ---- the cell -----------------------------------------------------------------------------------

template <class C>
void Nursery<C>::bear() {
  ++births;
  const std::error_code error = spawn_body<C, BeBorn<C>>(runtime, *this);
  if (error) port.give_up(refusal(error, beds.size() + 1));
}

template <class C>
void run(Port& port, const Cell& cell) {
  using B = typename C::Backend;
  if (cell.has("together")) return run_generations(port, cell);
  const auto alive = static_cast<std::size_t>(cell.number("alive"));
  typename B::Runtime runtime{typename B::Options{}};
  Nursery<C> nursery{port, runtime, alive};
  spawn_each<C, Park<C>>(port, runtime, nursery.beds, nursery);
  const std::error_code error = spawn_body<C, Bear<C>>(runtime, nursery);
  if (error) port.give_up(refusal(error, alive));
  runtime.run();
  if (nursery.lives != nursery.births || nursery.woken.load() != alive) {
    return port.failure(fmt::format("wrong: {} of {} newborn lived, {} of {} parked woke",
                                    nursery.lives, nursery.births, nursery.woken.load(), alive));
  }
  // What the C library calls to make a thread or map a stack, nobody counts.
  nursery.batches.report(port, "spawn", "event_syscalls");
}

}  // namespace

std::vector<Subject> spawn_subjects() {
  return subjects_of("spawn", []<class C>() { return &run<C>; });
}

}  // namespace harness
