// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/system_call.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace harness::floors {

std::uint64_t make_system_calls(std::uint64_t calls) noexcept {
  const long parent = getppid();
  std::uint64_t right = 0;
  for (std::uint64_t call = 0; call < calls; ++call) right += syscall(SYS_getppid) == parent;
  return right;
}

}  // namespace harness::floors
