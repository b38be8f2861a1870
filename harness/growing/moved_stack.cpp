// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <boost/context/detail/fcontext.hpp>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <system_error>

#include "harness/growing/subjects.hpp"

namespace harness::growing {

namespace {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

constexpr std::size_t small_bytes = std::size_t{16} * 1024;
constexpr std::size_t large_bytes = std::size_t{64} * 1024;
constexpr std::uint64_t levels = 8;

/// A piece of memory that stacks can be cut from.
class Mapping {
 public:
  explicit Mapping(std::size_t bytes) : bytes_{bytes} {
    void* const mapping =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) throw std::system_error{errno, std::system_category(), "mmap"};
    lowest_ = static_cast<std::byte*>(mapping);
  }
  ~Mapping() { munmap(lowest_, bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  [[nodiscard]] std::byte* top() const noexcept { return lowest_ + bytes_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] bool holds(const void* address) const noexcept {
    const auto place = reinterpret_cast<std::uintptr_t>(address);
    return place - reinterpret_cast<std::uintptr_t>(lowest_) < bytes_;
  }
  /// From now on, whoever looks here faults.
  void forbid() const {
    if (mprotect(lowest_, bytes_, PROT_NONE) != 0) {
      throw std::system_error{errno, std::system_category(), "mprotect"};
    }
  }

 private:
  std::size_t bytes_;
  std::byte* lowest_;
};

/// What a level keeps on the stack. It leads to the one that called it: by its address, as any
/// pointer, reference or captured variable does, or by how far away it is.
struct Level {
  const Level* caller;
  std::ptrdiff_t to_caller;
  std::uint64_t number;
};

/// What the task and whoever moves it know of each other, away from both stacks.
struct Journey {
  bool by_distance = false;
  fcontext_t home = nullptr;
  const Level* deepest = nullptr;  ///< where it lay before the move
  std::uint64_t sum = 0;
};

#if defined(__x86_64__)
constexpr bool supported = true;

/// Where a level lies now. The compiler must not remember where it lay before; so the instruction
/// itself reckons from the stack pointer.
const Level* place_of(const Level& level) {
  const Level* here = nullptr;
  asm volatile("lea %1, %0" : "=r"(here) : "m"(level));
  return here;
}
#else
constexpr bool supported = false;

const Level* place_of(const Level& level) {
  return &level;
}
#endif

std::uint64_t sum_over_callers(const Level* level, bool by_distance) {
  std::uint64_t sum = 0;
  while (level->number != 0) {
    sum += level->number;
    const auto* const bytes = reinterpret_cast<const std::byte*>(level);
    level = by_distance ? reinterpret_cast<const Level*>(bytes + level->to_caller) : level->caller;
  }
  return sum;
}

[[gnu::noinline]] void descend(Journey& journey, std::uint64_t number, const Level& caller) {
  Level self{&caller, 0, number};
  self.to_caller =
      reinterpret_cast<const std::byte*>(&caller) - reinterpret_cast<const std::byte*>(&self);
  if (number < levels) {
    descend(journey, number + 1, self);
  } else {
    journey.deepest = &self;
    journey.home = jump_fcontext(journey.home, nullptr).fctx;  // moved meanwhile
    journey.sum = sum_over_callers(place_of(self), journey.by_distance);
  }
  asm volatile("" : : "m"(self));  // keeps the level until its callees are through
}

void enter(transfer_t arrival) noexcept {
  auto& journey = *static_cast<Journey*>(arrival.data);
  journey.home = arrival.fctx;
  {
    const Level first{nullptr, 0, 0};
    descend(journey, 1, first);
  }
  jump_fcontext(journey.home, nullptr);
  std::abort();  // nobody resumes it
}

/// Of the moved levels: how many pointers lead to where their callers lay before.
std::uint64_t count_stale(const Journey& journey, const Mapping& before, std::ptrdiff_t moved_by) {
  std::uint64_t stale = 0;
  const auto* place = reinterpret_cast<const std::byte*>(journey.deepest) + moved_by;
  while (reinterpret_cast<const Level*>(place)->number != 0) {
    const auto& level = *reinterpret_cast<const Level*>(place);
    if (!journey.by_distance && before.holds(level.caller)) ++stale;
    place += level.to_caller;
  }
  return stale;
}

/// Who is asked when the moved task looks into its old stack.
struct Witness {
  Port* port;
  const Mapping* before;
};
Witness witness{};

// What was interrupted is a read of ours: the line can be written.
void tell_of_fault(int, siginfo_t* fault, void*) {
  if (!witness.before->holds(fault->si_addr)) {
    witness.port->give_up("crashed: a fault outside of the old stack");
  }
  witness.port->result("faults_in_old_stack", 1);
  std::_Exit(0);
}

void watch_old_stack(Port& port, const Mapping& before, std::array<std::byte, 65'536>& stack) {
  witness = {&port, &before};
  const stack_t signal_stack{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  struct sigaction action {};
  action.sa_sigaction = &tell_of_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  if (sigaltstack(&signal_stack, nullptr) != 0 || sigaction(SIGSEGV, &action, nullptr) != 0) {
    throw std::system_error{errno, std::system_category(), "watching the old stack"};
  }
}

}  // namespace

void run_moved_stack(Port& port, const Cell& cell) {
  if (!supported) return port.failure("refused: moved-stack is written for x86_64");
  const Mapping before{small_bytes};
  const Mapping after{large_bytes};
  Journey journey;
  journey.by_distance = cell.text("pointers") == "relative";
  const fcontext_t waiting =
      jump_fcontext(make_fcontext(before.top(), before.bytes(), &enter), &journey).fctx;

  const std::ptrdiff_t moved_by = after.top() - before.top();
  const auto used = static_cast<std::size_t>(before.top() - static_cast<std::byte*>(waiting));
  std::memcpy(after.top() - used, waiting, used);
  before.forbid();
  port.result("moved_bytes", static_cast<double>(used));
  port.result("pointers", static_cast<double>(levels));
  port.result("stale_pointers", static_cast<double>(count_stale(journey, before, moved_by)));

  static std::array<std::byte, 65'536> signal_stack;
  watch_old_stack(port, before, signal_stack);
  jump_fcontext(static_cast<std::byte*>(waiting) + moved_by, nullptr);
  if (journey.sum != levels * (levels + 1) / 2) {
    return port.failure("wrong: the moved task did not find its callers");
  }
  port.result("faults_in_old_stack", 0);
}

}  // namespace harness::growing
