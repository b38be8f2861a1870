// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include "harness/subject.hpp"

namespace harness {

/// Both servers of a pair, `echo/mortal` and `echo/floor-epoll`, and their load generator. The
/// server that `dies` names does so at a stage of its life: `at:start`, `at:idle` (before it
/// listens), `at:end` (its results told); by a signal, or with a refusal (`how:refused`).
std::vector<Subject> mortal_servers();

}  // namespace harness
