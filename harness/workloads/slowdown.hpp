// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "harness/subject.hpp"

namespace harness {

/// `selftest/slowdown/percent:P`: the same loop twice, the second with P per cent more to do, in
/// alternating slices (A B B A). Sends `ratio`, one value for every four slices: B's time by A's.
Subject slowdown_subject();

}  // namespace harness
