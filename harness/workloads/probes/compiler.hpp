// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdio>

namespace harness {

/// Who compiles this, for the label of a row.
#if defined(__clang__)
inline constexpr int compiler_major = __clang_major__;
inline constexpr int compiler_minor = __clang_minor__;
#else
inline constexpr int compiler_major = __GNUC__;
inline constexpr int compiler_minor = __GNUC_MINOR__;
#endif

/// Tells a descriptor; false when it could not.
inline bool tell_compiler(int to) {
  return dprintf(to, "major %d\nminor %d\n", compiler_major, compiler_minor) > 0;
}

}  // namespace harness
