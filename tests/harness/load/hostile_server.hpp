// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace harness::load::test {

/// A server on a port of its own, one thread a connection, that does to its clients whatever the
/// test says. It owes nothing to the code under test.
class HostileServer {
 public:
  /// What happens to one connection; the socket is closed afterwards.
  using Session = std::function<void(int socket)>;

  explicit HostileServer(Session session);
  ~HostileServer();
  HostileServer(const HostileServer&) = delete;
  HostileServer& operator=(const HostileServer&) = delete;

  [[nodiscard]] const std::string& address() const noexcept { return address_; }
  /// The addresses that connections came from, in the order of their coming.
  [[nodiscard]] std::vector<std::string> visitors();

 private:
  void let_in();

  Session session_;
  int listener_;
  std::string address_;
  std::mutex mutex_;
  std::vector<int> sockets_;
  std::vector<std::thread> sessions_;
  std::vector<std::string> visitors_;
  std::atomic<bool> over_{false};
  std::thread acceptor_;
};

/// False when the peer has gone.
bool receive(int socket, std::span<std::byte> whole);
bool send(int socket, std::span<const std::byte> whole);
/// Tears the connection down with a reset.
void reset(int socket);

/// An honest echo of messages of so many bytes; `each` may spoil the message, or return false to
/// end the session instead of answering. `number` counts from 0.
HostileServer::Session echo(
    std::size_t bytes,
    std::function<bool(int socket, unsigned number, std::vector<std::byte>& message)> each = {});

}  // namespace harness::load::test
