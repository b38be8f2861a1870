// SPDX-License-Identifier: BSL-1.0
#include "harness/standard_streams.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <iostream>
#include <system_error>
#include <unistd.h>

namespace harness {

namespace {

void ignore(int signal, const char* name) {
  if (std::signal(signal, SIG_IGN) == SIG_ERR) {
    throw std::system_error{errno, std::generic_category(), name};
  }
}

}  // namespace

void open_missing_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    // The kernel gives the lowest free number, which is this one.
    if (open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY) != descriptor) {
      throw std::system_error{errno, std::generic_category(), "/dev/null"};
    }
  }
}

void ignore_vanished_readers() {
  ignore(SIGPIPE, "SIGPIPE");
}

void ignore_full_files() {
  ignore(SIGXFSZ, "SIGXFSZ");
}

std::string loss_on_standard_output() {
  std::cout.flush();
  if (std::cout && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
  return "failed: standard output took not all that was written (is the disk full?)";
}

}  // namespace harness
