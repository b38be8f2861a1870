// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>
#include <system_error>

namespace harness {

/// Writes the file that `path` leads to whole or not at all: beside it first, as
/// `path.RANDOM.part`, then renamed over it, be it new or a regular file; symbolic links stay and
/// are followed. Of several who write at once, the last one's is there, whole. Signals that end a
/// process (Ctrl-C) wait until nothing lies beside; only a kill leaves it. What is no regular file
/// (a device, a pipe), and an open file by its number (/dev/stdout), is written to in its place,
/// after all that this process has printed.
std::error_code write_whole(const std::string& path, std::string_view text);

/// Whether write_whole() could write it, told before there is anything to write; leaves no trace.
std::error_code check_writable(const std::string& path);

}  // namespace harness
