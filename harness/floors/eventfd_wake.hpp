// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "harness/subject.hpp"

namespace harness::floors {

/// `wake/floor-eventfd/from:thread`: one thread writes to an eventfd, the other sleeps in
/// epoll_wait on it, on two CPUs: what waking a worker takes before there is a runtime.
/// Edge-triggered and never read, as a reactor's own would be.
Subject eventfd_wake();

}  // namespace harness::floors
