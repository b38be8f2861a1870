// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <cerrno>
#include <poll.h>
#include <span>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/arrivals.hpp"
#include "harness/workloads/bodies.hpp"
#include "harness/workloads/memory.hpp"
#include "harness/workloads/options.hpp"
#include "harness/workloads/stack_use.hpp"

namespace harness {

namespace {

/// What an echo task has for messages.
using Buffer = std::array<std::byte, 4096>;

std::span<const std::byte> part(const Buffer& buffer, std::size_t from, std::size_t to) {
  return std::span{buffer}.subspan(from, to - from);
}

template <class C>
struct Server {
  using B = typename C::Backend;

  void spawn_guest(io::Descriptor connection);
  /// The end of a cell that cannot have one connection more.
  [[noreturn]] void turn_away(std::error_code error) {
    arrivals.port().give_up(refusal(error, accepted));
  }
  void arrive() noexcept {
    if (arrivals.arrive()) arrivals.mark_parked();
  }

  Arrivals& arrivals;
  typename B::Runtime& runtime;
  std::uint64_t accepted = 0;
};

// ---- the bodies: a guest answers what comes and waits, until its client has gone ---------------

template <class C>
struct Serve {
  using Stream = typename C::Backend::Stream;

  static void direct(Server<C>& server, io::Descriptor connection) {
    std::error_code error;
    Stream stream{server.runtime, std::move(connection), error};
    if (error) server.turn_away(error);
    Buffer buffer;
    server.arrive();
    for (;;) {
      const io::Transfer got = stream.read_some(buffer);
      if (got.bytes == 0) break;
      for (std::size_t sent = 0; sent < got.bytes;) {
        const io::Transfer put = stream.write_some(part(buffer, sent, got.bytes));
        if (put.error) break;
        sent += put.bytes;
      }
    }
    server.arrivals.leave();
  }

  class Future : stackless::Immovable {
   public:
    using Output = void;

    Future(Server<C>& server, io::Descriptor connection)
        : server_{&server}, stream_{server.runtime, std::move(connection), error_} {
      if (error_) server.turn_away(error_);
    }

    stackless::Poll<void> poll(stackless::Context& context) {
      if (!arrived_) server_->arrive();
      arrived_ = true;
      for (;;) {
        while (sent_ < filled_) {
          auto put = stream_.poll_write_some(context, part(buffer_, sent_, filled_));
          if (put.is_pending()) return stackless::pending;
          if (put.output().error) break;
          sent_ += put.output().bytes;
        }
        auto got = stream_.poll_read_some(context, buffer_);
        if (got.is_pending()) return stackless::pending;
        if (got.output().bytes == 0) break;
        filled_ = got.output().bytes;
        sent_ = 0;
      }
      server_->arrivals.leave();
      return stackless::ready;
    }

   private:
    Server<C>* server_;
    std::error_code error_;
    Stream stream_;
    bool arrived_ = false;
    std::size_t filled_ = 0;
    std::size_t sent_ = 0;
    Buffer buffer_;  // what lies between sent and filled has still to go back
  };

  static stackless::Async<void> coroutine(Server<C>& server, io::Descriptor connection) {
    std::error_code error;
    Stream stream{server.runtime, std::move(connection), error};
    if (error) server.turn_away(error);
    Buffer buffer;
    server.arrive();
    for (;;) {
      const io::Transfer got = co_await stream.read_some(buffer);
      if (got.bytes == 0) break;
      for (std::size_t sent = 0; sent < got.bytes;) {
        const io::Transfer put = co_await stream.write_some(part(buffer, sent, got.bytes));
        if (put.error) break;
        sent += put.bytes;
      }
    }
    server.arrivals.leave();
  }
};

template <class C>
void Server<C>::spawn_guest(io::Descriptor connection) {
  const std::error_code error = spawn_owner<C, Serve<C>>(runtime, connection, *this);
  if (error) turn_away(error);
  ++accepted;
}

// ---- the door: one task that accepts as many as are announced -----------------------------------

template <class C>
struct Accept {
  using Listener = typename C::Backend::Listener;

  static void direct(Server<C>& server, io::Descriptor socket) {
    std::error_code error;
    Listener listener{server.runtime, std::move(socket), error};
    while (!error && server.accepted < server.arrivals.tasks()) {
      io::Descriptor connection = listener.accept(error);
      if (!error) server.spawn_guest(std::move(connection));
    }
    if (error) server.turn_away(error);
  }

  static stackless::Async<void> coroutine(Server<C>& server, io::Descriptor socket) {
    std::error_code error;
    Listener listener{server.runtime, std::move(socket), error};
    while (!error && server.accepted < server.arrivals.tasks()) {
      io::Descriptor connection = co_await listener.accept(error);
      if (!error) server.spawn_guest(std::move(connection));
    }
    if (error) server.turn_away(error);
  }
};

// ---- the cell -----------------------------------------------------------------------------------

io::Descriptor open_door(Port& port, io::Mode mode, std::error_code& error) {
  raise_descriptor_limit();
  io::Descriptor socket = io::listen({io::Endpoint::Transport::tcp, "127.0.0.1", 0}, mode, error);
  if (error) return socket;
  const auto where = io::local_endpoint(socket, error);
  if (!error) port.listening(where);
  return socket;
}

template <class C>
void run(Port& port, const Cell& cell) {
  using B = typename C::Backend;
  const auto options = options_of<B>(cell);
  Arrivals arrivals{port, cell.number("tasks")};
  typename B::Runtime runtime{options};
  Server<C> server{arrivals, runtime};
  std::error_code error;
  arrivals.mark_idle();
  io::Descriptor socket = open_door(port, B::mode, error);
  if (error) throw std::system_error{error, "listen"};
  error = spawn_owner<C, Accept<C>>(runtime, socket, server);
  if (error) return port.failure(refusal(error, 0));
  runtime.run();
  if (!arrivals.all_left()) return;
  report_stacks<B>(port, runtime, options);
}

/// Sends the first message back: that is how a client knows that it has been let in.
void greet(int connection) {
  Buffer buffer;
  const ssize_t got = ::recv(connection, buffer.data(), buffer.size(), 0);
  if (got < 0 ||
      ::send(connection, buffer.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL) != got) {
    throw std::system_error{errno, std::system_category(), "greeting a client"};
  }
}

/// A connection that nobody serves: what the kernel keeps for it anyway.
void run_floor(Port& port, const Cell& cell) {
  Arrivals arrivals{port, cell.number("tasks")};
  std::vector<int> connections;
  connections.reserve(arrivals.tasks());
  std::error_code error;
  arrivals.mark_idle();
  const io::Descriptor door = open_door(port, io::Mode::blocking, error);
  if (error) throw std::system_error{error, "listen"};
  while (connections.size() < arrivals.tasks()) {
    const int connection = ::accept4(door.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) {
      return port.failure(refusal({errno, std::system_category()}, connections.size()));
    }
    connections.push_back(connection);
    greet(connection);
    if (arrivals.arrive()) arrivals.mark_parked();
  }
  for (const int connection : connections) {
    pollfd gone{connection, POLLIN, 0};
    if (::poll(&gone, 1, -1) != 1) throw std::system_error{errno, std::system_category(), "poll"};
    ::close(connection);
    arrivals.leave();
  }
  (void)arrivals.all_left();
}

}  // namespace

void run_connected(Port& port, const Cell& cell) {
  const bool known = with_contender(cell.contender, [&]<class C>() { run<C>(port, cell); });
  if (known) return;
  if (cell.contender == "floor-socket") return run_floor(port, cell);
  port.failure(fmt::format("refused: {} has no connections", cell.contender));
}

}  // namespace harness
