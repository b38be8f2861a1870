// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "harness/cell.hpp"
#include "io/socket.hpp"

namespace harness::floors {

/// `result`, when it is no error; throws std::system_error from errno when it is negative.
int checked(int result, const char* what);

/// A listening socket made by plain system calls; only the words for an address are io's.
struct RawListener {
  int fd = -1;
  io::Endpoint where;
};

/// Listens, non-blocking, with the largest backlog, where the cell says: `transport:unix` (an
/// abstract name of this process) or on 127.0.0.1 (`port:`; 0 lets the kernel choose). Raises the
/// descriptor limit as far as it goes. Throws std::system_error.
RawListener listen_where(const Cell& cell);

}  // namespace harness::floors
