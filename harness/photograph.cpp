// SPDX-License-Identifier: BSL-1.0
#include "harness/photograph.hpp"

#include <optional>

#include "harness/snapshot.hpp"

namespace harness {

void photograph(Ledger& ledger, Child& child, std::string_view mark) {
  const std::uint64_t tasks = child.await_mark(mark);
  const auto heap = child.results().find("heap_bytes");
  ledger.enter(tasks, Snapshot::of(child.process()),
               heap == child.results().end() ? std::nullopt : std::optional{heap->second.front()});
}

}  // namespace harness
