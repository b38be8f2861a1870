// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// `echo/B/transport:T/…`: a server that sends back what it reads, one task a connection. Each task
/// owns a 4 KiB buffer in its own state (private stack, future, frame), larger messages stream
/// through it; with `buffer:borrowed` it waits for something to read first, and borrows a buffer of
/// its worker as long as that takes. What the row says of connections and messages is the load
/// generator's business; how the server speaks on the port is told in echo_host.hpp.
std::vector<Subject> echo_subjects();

}  // namespace harness
