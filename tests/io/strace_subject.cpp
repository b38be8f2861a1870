// SPDX-License-Identifier: BSL-1.0
// Makes a known mixture of system calls in several threads, then tells the ground floor's own
// count: one line, in the order of io::SystemCall. By writev, which it uses for nothing else.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <sys/uio.h>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "io/counters.hpp"
#include "io/reactor.hpp"
#include "io/socket.hpp"
#include "io/source.hpp"

namespace {

using io::Mode;

void require(bool condition) {
  if (!condition) std::abort();
}

struct Bell : io::Waiter {
  Bell() {
    notify = [](io::Waiter& waiter) noexcept {
      static_cast<Bell&>(waiter).rung = true;
    };
  }
  bool rung = false;
};

void echo_once(const io::Endpoint& where) {
  std::error_code error;
  const io::Descriptor socket = io::connect(where, Mode::blocking, error);
  require(!error);
  std::array<std::byte, 64> message{};
  require(io::write_some(socket.get(), message).bytes == message.size());
  require(io::read_some(socket.get(), message).bytes == message.size());
}

void serve(io::Reactor& reactor, io::Source& listener, unsigned connections) {
  std::error_code error;
  std::array<std::byte, 4096> buffer{};
  while (connections != 0) {
    auto accepted = listener.try_accept(Mode::nonblocking, error);
    require(!error);
    if (!accepted) {
      Bell bell;
      listener.await_readable(&bell);
      while (!bell.rung) reactor.turn(io::never);
      continue;
    }
    io::Source stream{reactor, std::move(*accepted), error};
    require(!error);
    while (true) {
      const auto transfer = stream.try_read(buffer);
      if (!transfer) {
        Bell bell;
        stream.await_readable(&bell);
        while (!bell.rung) reactor.turn(io::never);
        continue;
      }
      require(!transfer->error);
      if (transfer->bytes == 0) break;
      require(stream.try_write(std::span{buffer}.first(transfer->bytes)).has_value());
    }
    --connections;
  }
}

void make_calls(io::WaitMethod method) {
  io::Reactor reactor{method};
  std::error_code error;
  io::Descriptor socket = io::listen({.host = "127.0.0.1"}, Mode::nonblocking, error);
  require(!error);
  const io::Endpoint where = io::local_endpoint(socket, error);
  require(!error);
  io::Source listener{reactor, std::move(socket), error};
  require(!error);
  {
    std::vector<std::jthread> clients;
    for (int i = 0; i != 5; ++i) clients.emplace_back([&where] { echo_once(where); });
    serve(reactor, listener, 5);
  }
  std::jthread{[&reactor] {
    reactor.wake();
  }}.join();
  for (int i = 0; i != 3; ++i) {
    reactor.turn(io::Clock::now() + std::chrono::milliseconds{1});
    reactor.wake();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool fall_back = argc > 1 && std::string_view{argv[1]} == "ppoll";
  make_calls(fall_back ? io::WaitMethod::ppoll : io::WaitMethod::epoll_pwait2);
  std::string line;
  for (const std::uint64_t made : io::system_calls().made) line += std::to_string(made) + ' ';
  iovec whole{.iov_base = line.data(), .iov_len = line.size()};
  return ::writev(1, &whole, 1) == static_cast<ssize_t>(line.size()) ? 0 : 1;
}
