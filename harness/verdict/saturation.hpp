// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "harness/row.hpp"

namespace harness::verdict {

/// Doubts (`saturated`) what timers tell where there was more to do than time: lateness when more
/// than a hundredth of the planned was missed, for what was on time at all is no fair sample; costs
/// when less than three quarters of what fired did so while they were counted (`costed_share`), for
/// the work of the others is in them, too.
void judge_saturation(Row& row);

}  // namespace harness::verdict
