// SPDX-License-Identifier: BSL-1.0
#pragma once

// What is made of futures is a future that holds them inline: composing allocates nothing, but for
// a join of a number known at run time, which needs a block: its own, or one it is given. Every
// combinator takes factories, for futures do not move: `[&] { return stream.read_some(buffer); }`.

#include "stackless/join.hpp"
#include "stackless/join_all.hpp"
#include "stackless/join_each.hpp"
#include "stackless/map.hpp"
#include "stackless/poll_fn.hpp"
#include "stackless/scope_guard.hpp"
#include "stackless/select.hpp"
#include "stackless/sequence.hpp"
#include "stackless/then.hpp"
#include "stackless/timeout.hpp"
