// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace harness {

/// From now on SIGINT, SIGTERM and, unless it was ignored before, SIGHUP (a terminal that closes)
/// end no process at once: they make interrupted() true, once and for all, and
/// interrupt_descriptor() readable, so that a program can close its files and end its children. A
/// second signal of the kind kills as usual. Throws std::system_error.
void catch_interrupts();

/// Whether one of the signals has come. Any thread.
[[nodiscard]] bool interrupted() noexcept;

/// To be polled for reading beside whatever is being waited for; -1 before catch_interrupts().
[[nodiscard]] int interrupt_descriptor() noexcept;

}  // namespace harness
