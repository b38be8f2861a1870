// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "harness/histogram_files.hpp"
#include "harness/load/plan.hpp"
#include "harness/row.hpp"

namespace harness {

/// What the three processes of a pair have reported.
struct PairFigures {
  Results clients;  ///< load::figures
  Results server;   ///< EchoHost's; empty for a foreign server
  Results floor;
  bool one_cpu = false;  ///< the client had no CPU to itself: `shared-cpu`
};

/// The row of a pair, each counter doubted for what spoils it. A ratio is `wide` where its 95 %
/// interval allows for more than a tenth of it to either side: two separate runs of the very same
/// server differ by 9 to 13 %, and a pair that knows its ratio no better has told nothing. Whether
/// two rows differ is another question, which blocks answer. Throws Failure for
/// load::too_many_errors.
Row pair_row(const PairFigures& figures, const load::Plan& plan);

/// The latencies of both servers, as far as they were reported.
NamedHistograms latencies_of(const PairFigures& figures);

}  // namespace harness
