// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <pthread.h>
#include <span>
#include <sys/mman.h>
#include <system_error>

#include "harness/contenders.hpp"
#include "harness/workloads/bodies.hpp"
#include "harness/workloads/frames.hpp"

namespace harness {

namespace {

/// The stack of one thread, painted beforehand: what has been used has lost its paint.
class PaintedStack {
 public:
  PaintedStack() : memory_{map()} { std::ranges::fill(memory_, paint); }
  ~PaintedStack() { munmap(memory_.data(), memory_.size()); }
  PaintedStack(const PaintedStack&) = delete;
  PaintedStack& operator=(const PaintedStack&) = delete;

  /// Runs `body` on it; returns how many bytes below its own frame were used. Throws
  /// std::system_error.
  std::size_t used_by(std::function<void()> body) {
    body_ = std::move(body);
    pthread_attr_t attributes;
    pthread_t thread{};
    check(pthread_attr_init(&attributes), "pthread_attr_init");
    int error = pthread_attr_setstack(&attributes, memory_.data(), memory_.size());
    if (error == 0) error = pthread_create(&thread, &attributes, &begin, this);
    pthread_attr_destroy(&attributes);
    check(error, "pthread_create");
    check(pthread_join(thread, nullptr), "pthread_join");
    const auto deepest = std::ranges::find_if(memory_, [](char byte) { return byte != paint; });
    return static_cast<std::size_t>(top_ - &*deepest);
  }

 private:
  static constexpr std::size_t bytes = std::size_t{1} << 20;
  static constexpr char paint = 0x5a;

  static void check(int error, const char* what) {
    if (error != 0) throw std::system_error{error, std::system_category(), what};
  }
  static std::span<char> map() {
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(memory == MAP_FAILED ? errno : 0, "mmap");
    return {static_cast<char*>(memory), bytes};
  }
  static void* begin(void* self) {
    auto& stack = *static_cast<PaintedStack*>(self);
    stack.top_ = static_cast<char*>(__builtin_frame_address(0));
    stack.body_();
    return nullptr;
  }

  std::span<char> memory_;
  std::function<void()> body_;
  const char* top_ = nullptr;
};

// ---- the bodies: each borrows so many bytes of the worker's stack, and is suspended twice
// --------

/// Both are far more than whatever else the worker does: what it uses without tasks is the same.
constexpr std::size_t little = std::size_t{32} << 10;
constexpr std::size_t much = 2 * little;

struct Ledger {
  std::uint64_t uses = 0;
};

template <std::size_t bytes>
[[gnu::noinline]] void use_stack(Ledger& ledger) {
  std::array<char, bytes> local;
  local.front() = 1;  // the deepest
  asm volatile("" : : "r"(local.data()) : "memory");
  ++ledger.uses;
}

constexpr unsigned uses_a_task = 3;

template <std::size_t bytes>
struct Borrow {
  class Future : stackless::Immovable {
   public:
    using Output = void;

    explicit Future(Ledger& ledger) noexcept : ledger_{&ledger} {}

    stackless::Poll<void> poll(stackless::Context& context) {
      use_stack<bytes>(*ledger_);
      if (++uses_ == uses_a_task) return stackless::ready;
      context.waker().wake_by_ref();
      return stackless::pending;
    }

   private:
    Ledger* ledger_;
    unsigned uses_ = 0;
  };

  static stackless::Async<void> coroutine(Ledger& ledger) {
    for (unsigned uses = 1; uses < uses_a_task; ++uses) {
      use_stack<bytes>(ledger);
      co_await stackless::yield();
    }
    use_stack<bytes>(ledger);
  }
};

// ---- the cell -----------------------------------------------------------------------------------

/// Has so many tasks run on one worker; returns how many bytes of its stack were used.
template <class C, std::size_t bytes>
std::size_t worker_stack(Port& port, std::uint64_t tasks) {
  Ledger ledger;
  const std::size_t used = PaintedStack{}.used_by([&] {
    typename C::Backend::Runtime runtime{typename C::Backend::Options{}};
    for (std::uint64_t made = 0; made < tasks; ++made) {
      const auto error = spawn_body<C, Borrow<bytes>>(runtime, ledger);
      if (error) port.give_up(refusal(error, made));
    }
    runtime.run();
  });
  if (ledger.uses != tasks * uses_a_task) {
    port.failure(fmt::format("wrong: {} uses of the stack by {} tasks", ledger.uses, tasks));
  }
  return used;
}

template <class C>
void run(Port& port, std::uint64_t tasks) {
  (void)worker_stack<C, much>(port, 1);  // has the loader look up what is called for the first time
  const auto with_little = static_cast<double>(worker_stack<C, little>(port, 1));
  const auto alone = static_cast<double>(worker_stack<C, much>(port, 1));
  const auto all = static_cast<double>(worker_stack<C, much>(port, tasks));
  port.result("worker_stack_bytes", all);
  port.result("worker_stack_bytes_alone", alone);
  port.result("borrowed_stack_bytes", alone - with_little);
  if (tasks > 1) {
    port.result("stack_bytes_per_task", (all - alone) / static_cast<double>(tasks - 1));
  }
}

}  // namespace

void run_worker_stack(Port& port, const Cell& cell) {
  with_contender<std::tuple<Futures, Coroutines>>(
      cell.contender, [&]<class C>() { run<C>(port, cell.number("tasks")); });
}

}  // namespace harness
