// SPDX-License-Identifier: BSL-1.0
#include <chrono>
#include <fmt/format.h>
#include <span>
#include <vector>

#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/bodies.hpp"
#include "harness/workloads/spawn.hpp"

namespace harness {

namespace {

/// Tasks that are spawned in a row, all alive before the first of them runs, and then all end; the
/// next generation lives where they did.
template <class C>
class Generations {
 public:
  using Event = typename C::Backend::Event;
  using Runtime = typename C::Backend::Runtime;

  Generations(Port& port, Runtime& runtime, std::uint64_t size)
      : all_ran{runtime}, port_{&port}, runtime_{&runtime}, size_{size}, began_{Clock::now()} {}

  void bear();
  /// A newborn; the last one of its generation lets the spawner go on.
  void live() {
    if (++lives_ == size_) all_ran.set();
  }
  [[nodiscard]] bool go_on() const {
    return ns_per_create_.size() < fewest || Clock::now() - began_ < port_->measure_for();
  }
  void report() const {
    if (too_early_) return port_->failure("wrong: a task ran before all were spawned");
    if (lives_ != size_) return port_->failure("wrong: a task of the last generation did not run");
    const auto warm = std::span{ns_per_create_}.subspan(1);
    port_->result("cold_ns_per_create", ns_per_create_.front());
    port_->result("ns_per_create", warm);
  }

  Event all_ran;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t fewest = 6;  // a cold one, and enough for quartiles

  Port* port_;
  Runtime* runtime_;
  std::uint64_t size_;
  Clock::time_point began_;
  std::uint64_t lives_ = 0;
  bool too_early_ = false;
  std::vector<double> ns_per_create_;
};

// ---- the bodies: a newborn, and who spawns a generation after the other -------------------------

template <class C>
struct Live {
  static void direct(Generations<C>& generations) { generations.live(); }

  class Future : stackless::Immovable {
   public:
    using Output = void;

    explicit Future(Generations<C>& generations) noexcept : generations_{&generations} {}

    stackless::Poll<void> poll(stackless::Context&) {
      generations_->live();
      return stackless::ready;
    }

   private:
    Generations<C>* generations_;
  };

  static stackless::Async<void> coroutine(Generations<C>& generations) {
    generations.live();
    co_return;
  }
};

template <class C>
struct BearAll {
  static void direct(Generations<C>& generations) {
    do {
      generations.bear();
      generations.all_ran.wait();
    } while (generations.go_on());
  }
  static stackless::Async<void> coroutine(Generations<C>& generations) {
    do {
      generations.bear();
      co_await generations.all_ran.wait();
    } while (generations.go_on());
  }
};

template <class C>
void Generations<C>::bear() {
  lives_ = 0;
  const auto from = Clock::now();
  for (std::uint64_t born = 0; born < size_; ++born) {
    const std::error_code error = spawn_body<C, Live<C>>(*runtime_, *this);
    if (error) port_->give_up(refusal(error, born));
  }
  const std::chrono::duration<double, std::nano> took = Clock::now() - from;
  too_early_ = too_early_ || lives_ != 0;
  ns_per_create_.push_back(took.count() / static_cast<double>(size_));
}

template <class C>
void run(Port& port, const Cell& cell) {
  using B = typename C::Backend;
  typename B::Runtime runtime{typename B::Options{}};
  Generations<C> generations{port, runtime, cell.number("together")};
  const std::error_code error = spawn_body<C, BearAll<C>>(runtime, generations);
  if (error) port.give_up(refusal(error, 0));
  runtime.run();
  generations.report();
}

}  // namespace

void run_generations(Port& port, const Cell& cell) {
  with_contender(cell.contender, [&]<class C>() {
    if constexpr (C::Backend::mode == io::Mode::blocking) {
      port.failure(fmt::format("refused: {} run before all are spawned", C::name));
    } else {
      run<C>(port, cell);
    }
  });
}

}  // namespace harness
