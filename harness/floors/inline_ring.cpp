// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/inline_ring.hpp"

#include <system_error>

namespace harness::floors {

struct InlineRing::Task : Context {
  Context* next = nullptr;
  Context* home = nullptr;
  std::uint64_t visits = 0;
};

InlineRing::InlineRing(std::size_t tasks) : stacks_{tasks} {
  if (!supported) throw std::system_error{std::make_error_code(std::errc::not_supported)};
  for (std::size_t index = 0; index < tasks; ++index) {
    Task& task = stacks_.make_at_top<Task>(index);
    task.stack = reinterpret_cast<std::byte*>(&task) - sizeof(void*);  // as after a call
    task.resume = reinterpret_cast<void*>(&enter);
    task.home = &home_;
    tasks_.push_back(&task);
  }
  for (std::size_t index = 0; index < tasks; ++index) {
    tasks_[index]->next = tasks_[(index + 1) % tasks];
  }
  holder_ = tasks_.front();
}

std::uint64_t InlineRing::visits(std::size_t task) const noexcept {
  return tasks_[task]->visits;
}

void InlineRing::pass(std::uint64_t hops) noexcept {
  Context* last = &home_;
  Context* first = holder_;
  change(last, first, hops);
  holder_ = static_cast<Task*>(last)->next;
}

void InlineRing::enter(Context*, Context* self, std::uint64_t left) noexcept {
  while (true) {
    auto& task = static_cast<Task&>(*self);
    ++task.visits;
    Context* to = --left != 0 ? task.next : task.home;
    change(self, to, left);
    self = to;
  }
}

#if defined(__x86_64__)

// Whoever arrives finds in the same registers who came from where, itself, and what was handed
// over: the first three arguments of a function, so that a first arrival is a call of `enter`. It
// writes nothing below the stack pointer: the compiler does not know that anything is pushed.
[[gnu::always_inline]] inline void InlineRing::change(Context*& from, Context*& to,
                                                      std::uint64_t& left) noexcept {
  asm volatile(
      "leaq 1f(%%rip), %%rax\n\t"
      "movq %%rsp, 0(%%rdi)\n\t"
      "movq %%rbp, 8(%%rdi)\n\t"
      "movq %%rax, 16(%%rdi)\n\t"
      "movq 0(%%rsi), %%rsp\n\t"
      "movq 8(%%rsi), %%rbp\n\t"
      "jmpq *16(%%rsi)\n"
      "1:\n\t"
      : "+D"(from), "+S"(to), "+d"(left)
      :
      : "rax", "rbx", "rcx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
        "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
        "xmm13", "xmm14", "xmm15", "cc", "memory");
}

#else

void InlineRing::change(Context*&, Context*&, std::uint64_t&) noexcept {}

#endif

}  // namespace harness::floors
