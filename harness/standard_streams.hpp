// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

namespace harness {

/// Opens /dev/null in the place of whichever of standard input, output and error this process was
/// started without: else the next file or socket gets its number, and what is printed ends up
/// there. To be called before anything is opened. Throws std::system_error.
void open_missing_standard_descriptors();

/// Whoever read our standard output may go: from now on that ends no process. Throws
/// std::system_error.
void ignore_vanished_readers();

/// A file may be allowed to grow no further (ulimit -f): from now on the write that fails says so,
/// and that ends no process. Throws std::system_error.
void ignore_full_files();

/// Empty, or the line that says that what was printed has not all arrived.
std::string loss_on_standard_output();

}  // namespace harness
