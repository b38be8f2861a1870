// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "harness/subject.hpp"

namespace harness::floors {

/// `echo/floor-epoll/…`: the echo server without tasks. One epoll loop over an array of
/// connections, each with a 4 KiB buffer; the same system calls a message as any contender that
/// waits on the reactor, the same life on the port (workloads/echo_host.hpp), and nothing else. It
/// shares no code with io/, whose cost and whose bugs it is to show.
Subject epoll_echo();

}  // namespace harness::floors
