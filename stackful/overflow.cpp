// SPDX-License-Identifier: BSL-1.0
#include "stackful/overflow.hpp"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace stackful {
namespace {

/// A report writes lines and asks the kernel about pages; the frame of the signal itself holds the
/// widest registers.
constexpr std::size_t report_bytes = std::size_t{64} * 1024;
constexpr std::byte canary_mark{0xc5};

/// Who handles SIGSEGV is a matter of the process: the first watch takes it, the last one gives it
/// back.
struct Handling {
  std::mutex mutex;
  std::size_t watches = 0;
  struct sigaction previous {};
};
constinit Handling handling;

[[noreturn]] void fail(const char* what) {
  throw std::system_error{errno, std::system_category(), what};
}

void take_signal(void (*handler)(int, siginfo_t*, void*)) {
  const std::lock_guard lock{handling.mutex};
  if (handling.watches == 0) {
    struct sigaction action {};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    if (sigaction(SIGSEGV, &action, &handling.previous) != 0) fail("sigaction");
  }
  ++handling.watches;
}

// It fails for bad arguments only, and these were good for taking it.
void give_signal_back() noexcept {
  const std::lock_guard lock{handling.mutex};
  if (--handling.watches == 0) sigaction(SIGSEGV, &handling.previous, nullptr);
}

/// Whether somebody has sent the signal: no instruction will raise it again.
bool was_sent(const siginfo_t& fault) noexcept {
  return fault.si_code <= 0;
}

/// A handler of others is called; the system's own action follows when the instruction faults
/// again.
void pass_on(int signal, siginfo_t* fault, void* machine) noexcept {
  const struct sigaction& previous = handling.previous;
  if ((previous.sa_flags & SA_SIGINFO) != 0) return previous.sa_sigaction(signal, fault, machine);
  if (previous.sa_handler == SIG_IGN && was_sent(*fault)) return;
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    return previous.sa_handler(signal);
  }
  std::signal(signal, SIG_DFL);
  if (was_sent(*fault)) std::raise(signal);
}

}  // namespace

OverflowWatch::OverflowWatch(const StackPool& pool, Report report, void* whom)
    : OverflowWatch{std::vector{&pool}, Stack{}, report, whom} {}

OverflowWatch::OverflowWatch(std::vector<const StackPool*> pools, Report report, void* whom)
    : OverflowWatch{std::move(pools), Stack{}, report, whom} {}

OverflowWatch::OverflowWatch(const Stack& stack, Report report, void* whom)
    : OverflowWatch{{}, stack, report, whom} {}

OverflowWatch::OverflowWatch(std::vector<const StackPool*> pools, const Stack& stack, Report report,
                             void* whom)
    : pools_{std::move(pools)},
      stack_{stack},
      page_bytes_{static_cast<std::size_t>(sysconf(_SC_PAGESIZE))},
      report_{report},
      whom_{whom} {
  if (current_ != nullptr) throw std::logic_error{"this thread is watched already"};
  const auto frame_bytes = static_cast<std::size_t>(std::max(0L, sysconf(_SC_MINSIGSTKSZ)));
  const std::size_t bytes = frame_bytes + report_bytes;
  signal_stack_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
  const stack_t signal_stack{.ss_sp = signal_stack_.get(), .ss_flags = 0, .ss_size = bytes};
  if (sigaltstack(&signal_stack, &previous_signal_stack_) != 0) fail("sigaltstack");
  try {
    take_signal(&on_fault);
  } catch (...) {
    sigaltstack(&previous_signal_stack_, nullptr);
    throw;
  }
  current_ = this;
}

OverflowWatch::~OverflowWatch() {
  give_signal_back();
  sigaltstack(&previous_signal_stack_, nullptr);
  current_ = nullptr;
}

void OverflowWatch::on_fault(int signal, siginfo_t* fault, void* machine) noexcept {
  const OverflowWatch* const watch = current_;
  if (watch != nullptr && !was_sent(*fault)) {
    const auto* const address = static_cast<const std::byte*>(fault->si_addr);
    if (const Stack stack = watch->overrun_at(address)) {
      watch->report_(watch->whom_, {stack, address});
    }
  }
  pass_on(signal, fault, machine);
}

Stack OverflowWatch::overrun_at(const std::byte* address) const noexcept {
  const std::less<> below;
  for (const StackPool* const pool : pools_) {
    if (const Stack stack = pool->find(address)) {
      return below(address, stack.lowest) ? stack : Stack{};
    }
  }
  if (!stack_) return {};
  const bool in_guard =
      below(address, stack_.lowest) && !below(address, stack_.lowest - page_bytes_);
  return in_guard ? stack_ : Stack{};
}

Canary::Canary(const Stack& stack) noexcept : place_{stack.lowest} {
  std::fill_n(stack.lowest, bytes, canary_mark);
}

// Reads what belongs to the frames of others, which AddressSanitizer would object to.
__attribute__((no_sanitize("address"))) bool Canary::is_alive() const noexcept {
  const volatile std::byte* const place = place_;
  for (std::size_t i = 0; i != bytes; ++i) {
    if (place[i] != canary_mark) return false;
  }
  return true;
}

}  // namespace stackful
