// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <fstream>
#include <functional>
#include <net/if.h>
#include <sched.h>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/socket.hpp"

namespace harness {

/// What `action` answers in a process of its own, whose limits it may lower.
inline std::string in_a_child(const std::function<std::string()>& action) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return "no pipe";
  const pid_t pid = fork();
  if (pid == 0) {
    const std::string answer = action();
    const bool sent = write(ends[1], answer.data(), answer.size()) >= 0;
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  std::string answer(4096, '\0');
  const ssize_t got = read(ends[0], answer.data(), answer.size());
  answer.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  close(ends[0]);
  waitpid(pid, nullptr, 0);
  return answer;
}

inline constexpr std::string_view no_own_network = "this process may have no network of its own";

/// Leaves for a network with nothing but a loopback, whose settings are nobody else's. Only in a
/// child; false where that is not allowed.
inline bool enter_own_network() {
  if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  const io::Descriptor any{socket(AF_INET, SOCK_DGRAM, 0)};
  ifreq loopback{};
  std::string_view{"lo"}.copy(loopback.ifr_name, IFNAMSIZ);
  loopback.ifr_flags = IFF_UP;
  return ioctl(any.get(), SIOCSIFFLAGS, &loopback) == 0;
}

inline void write_setting(const char* file, std::string_view value) {
  std::ofstream{file} << value;
}

}  // namespace harness
