// SPDX-License-Identifier: BSL-1.0
#pragma once

#if __STDC_HOSTED__
#include <cstdio>
#include <cstdlib>
#endif

namespace stackless {

/// What happens when a program breaks the contract of poll. Must not return; may throw where
/// exceptions exist (tests do).
using FaultHandler = void (*)(const char* what);

/// Says what on stderr and aborts; without an operating system it traps.
[[noreturn]] inline void abort_with(const char* what) {
#if __STDC_HOSTED__
  std::fprintf(stderr, "stackless: %s\n", what);
  std::abort();
#else
  static_cast<void>(what);
  __builtin_trap();
#endif
}

/// The one handler, in every build. Replace it before the first poll, from one thread.
inline constinit FaultHandler fault_handler = &abort_with;

/// Ends what cannot go on: a contract is broken.
[[noreturn]] inline void fault(const char* what) {
  fault_handler(what);
  __builtin_trap();  // a handler that returns has broken its own contract
}

/// Every future calls this when it is polled after its output has been handed over.
[[noreturn, gnu::cold]] inline void polled_after_completion() {
  fault("a future was polled after completion");
}

}  // namespace stackless
