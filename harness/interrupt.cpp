// SPDX-License-Identifier: BSL-1.0
#include "harness/interrupt.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

namespace harness {

namespace {

// A signal handler can reach nothing but what has static storage.
std::atomic<bool> signal_came{false};
std::atomic<int> descriptor{-1};

extern "C" void on_interrupt(int) {
  const int saved = errno;
  signal_came.store(true);
  const std::uint64_t one = 1;
  // The counter of an eventfd that nobody reads cannot overflow from two signals.
  if (write(descriptor.load(), &one, sizeof one) < 0) std::_Exit(130);
  errno = saved;
}

}  // namespace

void catch_interrupts() {
  const int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (fd < 0) throw std::system_error{errno, std::system_category(), "eventfd"};
  descriptor.store(fd);
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    const bool known = sigaction(signal, nullptr, &before) == 0;
    if (known && signal == SIGHUP && before.sa_handler == SIG_IGN) continue;  // nohup
    if (!known || sigaction(signal, &action, nullptr) != 0) {
      throw std::system_error{errno, std::system_category(), "sigaction"};
    }
  }
}

bool interrupted() noexcept {
  return signal_came.load();
}

int interrupt_descriptor() noexcept {
  return descriptor.load();
}

}  // namespace harness
