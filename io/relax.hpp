// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace io {

/// Tells the CPU that this is a spin: who shares its core loses less by it.
inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace io
