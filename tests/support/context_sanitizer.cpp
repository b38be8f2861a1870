// SPDX-License-Identifier: BSL-1.0
// Announces every Boost.Context switch to the sanitizer, those inside the prebuilt libraries too:
// the three entry points are defined here, in the test program, which comes before the shared
// library; the real ones are reached through RTLD_NEXT. This file itself is compiled without
// sanitizers: it runs while the sanitizer is between two stacks.

#include <atomic>
#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>
#include <iterator>
#include <map>
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/tsan_interface.h>
#include <utility>

#ifdef YARDSTACK_THREAD_SANITIZER
extern "C" {  // of its runtime; in no header
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#endif

namespace {

using boost::context::detail::fcontext_t;
using boost::context::detail::transfer_t;
using Entry = void (*)(transfer_t);
using OnTop = transfer_t (*)(transfer_t);

/// What the sanitizer has to know about one stack.
struct KnownStack {
  std::byte* lowest = nullptr;
  std::size_t bytes = 0;
  Entry entry = nullptr;
  void* fake_stack = nullptr;  // AddressSanitizer's
  void* fiber = nullptr;       // ThreadSanitizer's
};

/// All stacks by their tops. A spinlock, because ThreadSanitizer would take a mutex for an order
/// between the threads that switch, and overlook their races. It does not see the spinlock, but
/// does see the allocator: that it must not take for a race.
class KnownStacks {
 public:
  /// A new stack. Whatever was known of its bytes ended before they were used again. Complete
  /// before other threads can see it.
  void add(std::byte* lowest, const std::byte* top, Entry entry) {
    const Locked locked{busy_};
    erase(lowest, top);
    KnownStack& stack = by_top_[top];
    stack.lowest = lowest;
    stack.bytes = static_cast<std::size_t>(top - lowest);
    stack.entry = entry;
#ifdef YARDSTACK_THREAD_SANITIZER
    stack.fiber = __tsan_create_fiber(0);
#endif
  }

  void forget(const std::byte* lowest, const std::byte* top) {
    const Locked locked{busy_};
    erase(lowest, top);
  }

  /// nullptr for an address on a thread's own stack.
  KnownStack* find(const void* address) {
    const Locked locked{busy_};
    const auto above = by_top_.upper_bound(static_cast<const std::byte*>(address));
    if (above == by_top_.end() || address < above->second.lowest) return nullptr;
    return &above->second;
  }

 private:
  struct Locked {
    explicit Locked(std::atomic_flag& flag) : busy{flag} {
      while (busy.test_and_set(std::memory_order_acquire)) {
      }
#ifdef YARDSTACK_THREAD_SANITIZER
      AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
#endif
    }
    ~Locked() {
#ifdef YARDSTACK_THREAD_SANITIZER
      AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
#endif
      busy.clear(std::memory_order_release);
    }
    std::atomic_flag& busy;
  };

  void erase(const std::byte* lowest, const std::byte* top) {
    auto known = by_top_.upper_bound(lowest);
    while (known != by_top_.end() && known->second.lowest < top) {
#ifdef YARDSTACK_THREAD_SANITIZER
      __tsan_destroy_fiber(known->second.fiber);
#endif
      known = by_top_.erase(known);
    }
  }

  std::atomic_flag busy_;
  std::map<const std::byte*, KnownStack> by_top_;
};

KnownStacks& stacks() {
  static auto* const known = new KnownStacks;  // fibers may outlive static objects
  return *known;
}

/// A thread's own stack, learnt when it is left for the first time. It can lie where a fiber's was.
thread_local KnownStack own_stack;

void learn_own_stack() {
  pthread_attr_t attributes;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) std::abort();
  if (pthread_attr_getstack(&attributes, &lowest, &bytes) != 0) std::abort();
  if (pthread_attr_destroy(&attributes) != 0) std::abort();
  own_stack.lowest = static_cast<std::byte*>(lowest);
  own_stack.bytes = bytes;
  stacks().forget(own_stack.lowest, own_stack.lowest + bytes);
}
/// An on-top function has finished the arrival already.
thread_local bool arrived = false;

// Never inlined: a fiber may come back on another thread, whose thread-locals are elsewhere.
[[gnu::noinline]] KnownStack& stack_at(const void* address) {
  KnownStack* const known = stacks().find(address);
  return known == nullptr ? own_stack : *known;
}

[[gnu::noinline]] void learn_own_stack_once() {
  if (own_stack.lowest == nullptr) learn_own_stack();
}

[[gnu::noinline]] bool take_arrived() {
  return std::exchange(arrived, false);
}
[[gnu::noinline]] void set_arrived() {
  arrived = true;
}

void depart(const void* here, fcontext_t to) {
  learn_own_stack_once();
  KnownStack& from = stack_at(here);
  KnownStack& target = stack_at(to);
#ifdef YARDSTACK_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(&from.fake_stack, target.lowest, target.bytes);
#endif
#ifdef YARDSTACK_THREAD_SANITIZER
  if (from.fiber == nullptr) from.fiber = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(target.fiber, 0);
#endif
  static_cast<void>(from);
  static_cast<void>(target);
}

void arrive(const void* here) {
#ifdef YARDSTACK_ADDRESS_SANITIZER
  const void* lowest = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(stack_at(here).fake_stack, &lowest, &bytes);
  if (stacks().find(lowest) == nullptr) {
    own_stack.lowest = static_cast<std::byte*>(const_cast<void*>(lowest));
    own_stack.bytes = bytes;
  }
#endif
  static_cast<void>(here);
}

/// Finishes the switch also when an on-top function throws through the frame that switched away.
struct Arrival {
  ~Arrival() {
    if (!take_arrived()) arrive(__builtin_frame_address(0));
  }
};

void enter(transfer_t transfer) {
  const void* const here = __builtin_frame_address(0);
  arrive(here);
  stack_at(here).entry(transfer);
}

struct OnTopCall {
  void* data;
  OnTop function;
};

transfer_t run_on_top(transfer_t transfer) {
  arrive(__builtin_frame_address(0));
  set_arrived();
  const OnTopCall call = *static_cast<OnTopCall*>(transfer.data);
  transfer.data = call.data;
  return call.function(transfer);
}

template <class Function>
Function real(const char* symbol) {
  void* const address = dlsym(RTLD_NEXT, symbol);
  if (address == nullptr) std::abort();
  return reinterpret_cast<Function>(address);
}

}  // namespace

extern "C" {

fcontext_t make_fcontext(void* top, std::size_t bytes, Entry entry) {
  static const auto make = real<fcontext_t (*)(void*, std::size_t, Entry)>("make_fcontext");
  auto* const end = static_cast<std::byte*>(top);
  stacks().add(end - bytes, end, entry);
#ifdef YARDSTACK_ADDRESS_SANITIZER
  __asan_unpoison_memory_region(end - bytes, bytes);
#endif
  return make(top, bytes, enter);
}

transfer_t jump_fcontext(fcontext_t to, void* data) {
  static const auto jump = real<transfer_t (*)(fcontext_t, void*)>("jump_fcontext");
  depart(__builtin_frame_address(0), to);
  const Arrival arrival;
  return jump(to, data);
}

transfer_t ontop_fcontext(fcontext_t to, void* data, OnTop function) {
  static const auto on_top = real<transfer_t (*)(fcontext_t, void*, OnTop)>("ontop_fcontext");
  depart(__builtin_frame_address(0), to);
  OnTopCall call{data, function};
  const Arrival arrival;
  return on_top(to, &call, run_on_top);
}
}
