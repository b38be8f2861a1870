// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace harness::load {

/// The whole of yardstack-load: reads the command line, drives a server or two, prints the summary
/// and writes the file. Exit status: 0 measured, 1 `failed:`, `timeout:` or `wrong:` on standard
/// error, 2 bad usage; a refusal is no failure: 0; 130 interrupted.
int run_command(int argc, char** argv);

}  // namespace harness::load
