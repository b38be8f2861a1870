// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <csignal>
#include <cstdlib>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

/// Runs `body` in a child process and returns how that ended; empty when there was no child to be
/// had. A fault kills the child with its signal: the sanitizers' own handlers are taken off.
template <class Body>
std::optional<int> status_of_child(Body body) {
  const pid_t child = fork();
  if (child < 0) return std::nullopt;
  if (child == 0) {
    const bool undisturbed =
        std::signal(SIGSEGV, SIG_DFL) != SIG_ERR && std::signal(SIGBUS, SIG_DFL) != SIG_ERR;
    if (undisturbed) body();
    std::_Exit(undisturbed ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) return std::nullopt;
  return status;
}
