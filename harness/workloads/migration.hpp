// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "harness/subject.hpp"

namespace harness {

/// `parallel/fibers/work:turns/load:even/turns:T/tasks:N`: what it costs that fibers may change
/// their worker. N fibers compute on two workers, in T turns each, with a yield between; the same
/// once kept where they were dealt, once to be stolen. `load:skewed`: what is dealt to one worker
/// is three times as long, which is what stealing is for. Only fibers can move once they have
/// begun.
void run_migration(Port& port, const Cell& cell);

}  // namespace harness
