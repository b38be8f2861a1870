// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <malloc.h>

namespace harness {

/// Bytes that malloc has handed out in this process and not got back, chunk headers included.
inline double heap_bytes() noexcept {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

}  // namespace harness
