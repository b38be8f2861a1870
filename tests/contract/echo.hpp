// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tests/contract/contenders.hpp"
#include "tests/contract/peer.hpp"

namespace contract {

/// An echo server of the contender's own, on the case's thread; its peers on another.
template <class C>
class EchoCase : public Case<C> {
 public:
  using typename Case<C>::Backend;
  using typename Case<C>::Listener;
  using typename Case<C>::Script;
  using typename Case<C>::Stream;

  static constexpr std::array transports{io::Endpoint::Transport::tcp,
                                         io::Endpoint::Transport::unix_domain};

  /// A listening socket, whose address goes to `where`. Peers may connect before it is served.
  io::Descriptor listen(io::Endpoint::Transport transport = io::Endpoint::Transport::tcp) {
    static int names = 0;
    where = {.transport = transport, .host = "127.0.0.1", .port = 0};
    if (transport == io::Endpoint::Transport::unix_domain) {
      where.host = "@contract-" + std::to_string(::getpid()) + "-" + std::to_string(++names);
    }
    std::error_code error;
    io::Descriptor listener = io::listen(where, Backend::mode, error);
    EXPECT_FALSE(error) << error.message();
    if (send_buffer != 0) set_send_buffer(listener);
    where = io::local_endpoint(listener, error);
    EXPECT_FALSE(error) << error.message();
    return listener;
  }

  /// Spawns a server that ends after so many connections.
  void serve(io::Descriptor listener, std::size_t connections) {
    this->spawn(accept_all(std::move(listener), connections));
  }

  /// Runs the server until it ends, and the peers beside it on a thread of their own.
  void against(const std::function<void()>& peers) {
    std::thread other{peers};
    this->runtime.run();
    other.join();
  }

  Script accept_all(io::Descriptor descriptor, std::size_t connections) {
    std::error_code error;
    Listener listener{this->runtime, std::move(descriptor), error};
    EXPECT_FALSE(error) << error.message();
    while (accepted < connections) {
      io::Descriptor connection;
      co_await Accept{listener, connection, error};
      if (error) {  // the limit of descriptors; they take time to come free
        EXPECT_FALSE(connection);
        ++refusals;
        co_await Sleep{io::Clock::now() + std::chrono::milliseconds{2}};
        continue;
      }
      if (send_buffer != 0) set_send_buffer(connection);
      ++accepted;
      this->spawn(echo(std::move(connection)));
    }
  }

  Script echo(io::Descriptor connection) {
    std::error_code error;
    Stream stream{this->runtime, std::move(connection), error};
    EXPECT_FALSE(error) << error.message();
    std::vector<std::byte> buffer(buffer_bytes);
    while (true) {
      const io::Transfer got = co_await Read{stream, std::span{buffer}};
      if (got.bytes == 0) {
        error = got.error;
        break;
      }
      co_await write_all(stream, std::span{buffer}.first(got.bytes), error);
      if (error) break;
    }
    if (error) ++broken;
    ++ended;
  }

  Script write_all(Stream& stream, std::span<const std::byte> bytes, std::error_code& error) {
    while (!bytes.empty()) {
      const io::Transfer put = co_await Write{stream, bytes};
      if (put.error) {
        error = put.error;
        co_return;
      }
      if (put.bytes < bytes.size()) ++short_writes;
      bytes = bytes.subspan(put.bytes);
    }
  }

  int send_buffer = 0;              ///< of the server's sockets, in bytes; 0 leaves the kernel's
  std::size_t buffer_bytes = 4096;  ///< of each connection's task
  io::Endpoint where;
  std::atomic<std::size_t> accepted{0};
  std::atomic<std::size_t> refusals{0};
  std::atomic<std::size_t> ended{0};
  std::atomic<std::size_t> broken{0};
  std::atomic<std::size_t> short_writes{0};

 private:
  void set_send_buffer(const io::Descriptor& socket) {
    EXPECT_EQ(::setsockopt(socket.get(), SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof send_buffer),
              0);
  }
};

/// Waits, without burning the CPU, until another thread has made `condition` true.
inline void eventually(const std::function<bool()>& condition) {
  while (!condition()) {  // the test's own time limit guards against for ever
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
}

}  // namespace contract
