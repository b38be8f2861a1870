// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include "harness/cell.hpp"
#include "harness/load/plan.hpp"
#include "harness/row.hpp"
#include "harness/subject.hpp"

namespace harness::load {

/// The load generator as a child of a bench program, found under `load/clients`. Its life:
///     connect a part (`steps` parts in all), `mark connected N` ─ go ─► the next part …
///     warm up,                               `mark warm N`      ─ go ─►
///     measure, results,                      `mark measured N`  ─ go ─► disconnect, end
/// where N counts connections to each server, and operations at last. Without time to measure it
/// waits for the last *go* right after the last connection.
Subject subject();

/// What a row says when such a child has failed while its servers live on: whose crash or silence
/// it was. All else that it says is about the servers.
Failure of_load_generator(const Failure& failure);

/// The row name that tells such a child what to do. Throws Failure (`refused:`) for an address that
/// a row name cannot hold: a Unix-domain path (an abstract name can be).
Cell cell_of(const Plan& plan, std::uint64_t steps = 1);
/// And back. Throws std::invalid_argument for a name that is no plan.
Plan plan_of(const Cell& cell);

}  // namespace harness::load
