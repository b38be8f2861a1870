// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#include "harness/ledger.hpp"
#include "harness/runner.hpp"

namespace harness {

/// Waits for the subject's mark, and enters into the ledger what the process holds at that moment,
/// with what the subject says of its heap (`heap_bytes`). Throws like Child and Snapshot.
void photograph(Ledger& ledger, Child& child, std::string_view mark);

}  // namespace harness
