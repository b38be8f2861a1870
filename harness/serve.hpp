// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace harness {

/// The whole of yardstack-serve: one contender's echo server, alone, to be driven by anyone. Says
/// `listening ADDRESS process PID` on standard output when it is ready; SIGINT or SIGTERM ends it.
/// Exit status: 0 ended by such a signal, 1 `failed:` on standard error, 2 bad usage.
int run_serve(int argc, char** argv);

}  // namespace harness
