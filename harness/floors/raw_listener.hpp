// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>

#include "harness/subject.hpp"

namespace harness::floors {

/// `result`, when it is no error; throws std::system_error from errno when it is negative.
int checked(int result, const char* what);

/// A listening socket made by plain system calls: on a port of 127.0.0.1, or under an abstract
/// name.
struct RawListener {
  int fd = -1;
  std::uint16_t tcp_port = 0;
  std::string unix_name{};  ///< empty for TCP
};

/// Listens, non-blocking, with the largest backlog, where the cell says: `transport:unix` (an
/// abstract name of this process) or on 127.0.0.1 (`port:`; 0 lets the kernel choose). Raises the
/// descriptor limit as far as it goes. Throws std::system_error.
RawListener listen_where(const Cell& cell);
/// Tells the parent where that is.
void announce(Port& port, const RawListener& listener);

}  // namespace harness::floors
