// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/echo.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <system_error>
#include <utility>

#include "harness/contenders.hpp"
#include "harness/limits.hpp"
#include "harness/workloads/bodies.hpp"
#include "harness/workloads/echo_buffers.hpp"
#include "harness/workloads/echo_host.hpp"

namespace harness {

namespace {

/// Room for more than the one byte that comes: a short read needs no second one to find the end.
using Goes = std::array<std::byte, 8>;

template <class B>
struct Server {
  Server(typename B::Runtime& of_runtime, Port& port, const Cell& cell)
      : runtime{of_runtime},
        host{port, cell, B::mode},
        listener{runtime, host.listener(), error},
        go{runtime, host.go(), error} {
    if (error) throw std::system_error{error, "the listener or the port"};
  }

  typename B::Runtime& runtime;
  std::error_code error;
  EchoHost host;
  typename B::Listener listener;
  typename B::Stream go;
  BufferPool buffers;
};

// ---- a connection, three times ------------------------------------------------------------------

template <class Space, class B>
struct Echo {
  using Stream = typename B::Stream;

  static void direct(Server<B>& server, io::Descriptor connection) {
    const int descriptor = connection.get();
    std::error_code error;
    Stream stream{server.runtime, std::move(connection), error};
    if (error) return static_cast<void>(server.host.turned_away(error));
    const EchoHost::Guest guest{server.host, descriptor};
    Space space{server.buffers};
    while (true) {
      if constexpr (Space::is_borrowed) {
        space.give_back();
        stream.wait_readable();
        space.take();
      }
      const io::Transfer got = stream.read_some(space.bytes());
      if (got.error || got.bytes == 0) return;
      for (std::size_t sent = 0; sent < got.bytes;) {
        const auto rest = space.bytes().subspan(sent, got.bytes - sent);
        const io::Transfer put = stream.write_some(rest);
        if (put.error) return;
        sent += put.bytes;
      }
    }
  }

  class Future : stackless::Immovable {
   public:
    using Output = void;

    Future(Server<B>& server, io::Descriptor connection)
        : descriptor_{connection.get()},
          stream_{server.runtime, std::move(connection), error_},
          guest_{server.host, descriptor_},
          space_{server.buffers} {
      if (error_) static_cast<void>(server.host.turned_away(error_));
    }

    stackless::Poll<void> poll(stackless::Context& context) {
      if (error_) return stackless::ready;
      while (true) {
        while (sent_ < filled_) {
          const auto rest = space_.bytes().subspan(sent_, filled_ - sent_);
          auto put = stream_.poll_write_some(context, rest);
          if (put.is_pending()) return stackless::pending;
          if (put.output().error) return stackless::ready;
          sent_ += put.output().bytes;
        }
        if constexpr (Space::is_borrowed) {
          space_.give_back();
          if (stream_.poll_wait_readable(context).is_pending()) return stackless::pending;
          space_.take();
        }
        auto got = stream_.poll_read_some(context, space_.bytes());
        if (got.is_pending()) return stackless::pending;
        if (got.output().error || got.output().bytes == 0) return stackless::ready;
        filled_ = got.output().bytes;
        sent_ = 0;
      }
    }

   private:
    std::error_code error_;
    int descriptor_;
    Stream stream_;
    EchoHost::Guest guest_;
    std::size_t filled_ = 0;
    std::size_t sent_ = 0;
    Space space_;  // what lies in it between sent and filled has still to go back
  };

  static stackless::Async<void> coroutine(Server<B>& server, io::Descriptor connection) {
    const int descriptor = connection.get();
    std::error_code error;
    Stream stream{server.runtime, std::move(connection), error};
    if (error) {
      static_cast<void>(server.host.turned_away(error));
      co_return;
    }
    const EchoHost::Guest guest{server.host, descriptor};
    Space space{server.buffers};
    while (true) {
      if constexpr (Space::is_borrowed) {
        space.give_back();
        co_await stream.wait_readable();
        space.take();
      }
      const io::Transfer got = co_await stream.read_some(space.bytes());
      if (got.error || got.bytes == 0) co_return;
      for (std::size_t sent = 0; sent < got.bytes;) {
        const auto rest = space.bytes().subspan(sent, got.bytes - sent);
        const io::Transfer put = co_await stream.write_some(rest);
        if (put.error) co_return;
        sent += put.bytes;
      }
    }
  }
};

// ---- the two tasks a server has besides: direct, and as coroutines for both poll dialects -------

template <class C, class Space>
struct LetIn {
  using B = typename C::Backend;

  static void direct(Server<B>& server) {
    while (true) {
      std::error_code error;
      io::Descriptor connection = server.listener.accept(error);
      if (server.host.stopping()) return;
      if (!error) error = spawn_owner<C, Echo<Space, B>>(server.runtime, connection, server);
      if (error) B::sleep_until(turn_away(server, connection, error));
    }
  }

  static stackless::Async<void> coroutine(Server<B>& server) {
    while (true) {
      std::error_code error;
      io::Descriptor connection = co_await server.listener.accept(error);
      if (server.host.stopping()) co_return;
      if (!error) error = spawn_owner<C, Echo<Space, B>>(server.runtime, connection, server);
      if (error) co_await B::sleep_until(turn_away(server, connection, error));
    }
  }

 private:
  /// Hangs up only when the limit has been looked at. Until when to wait.
  static io::TimePoint turn_away(Server<B>& server, io::Descriptor& connection,
                                 std::error_code error) {
    const io::TimePoint again = server.host.turned_away(error);
    connection.reset();
    return again;
  }
};

template <class B>
struct Obey {
  static void direct(Server<B>& server) {
    Goes goes;
    while (true) {
      const io::Transfer got = server.go.read_some(goes);
      if (got.error || got.bytes == 0 || !server.host.advance()) break;
    }
    server.host.stop();
  }

  static stackless::Async<void> coroutine(Server<B>& server) {
    Goes goes;
    while (true) {
      const io::Transfer got = co_await server.go.read_some(goes);
      if (got.error || got.bytes == 0 || !server.host.advance()) break;
    }
    server.host.stop();
  }
};

template <class C, class Space>
void serve(Port& port, const Cell& cell) {
  using B = typename C::Backend;
  typename B::Runtime runtime{typename B::Options{}};
  Server<B> server{runtime, port, cell};
  std::error_code error = spawn_body<C, Obey<B>>(runtime, server);
  if (!error) error = spawn_body<C, LetIn<C, Space>>(runtime, server);
  if (error) port.give_up(refusal(error, 0));
  server.host.open();
  runtime.run();
}

template <class C>
void run(Port& port, const Cell& cell) {
  if (cell.text("buffer", "private") == "private") return serve<C, PrivateBuffer>(port, cell);
  if constexpr (C::Backend::mode == io::Mode::nonblocking) {
    serve<C, BorrowedBuffer>(port, cell);
  } else {
    port.failure("refused: a thread has no worker whose buffer it could borrow");
  }
}

}  // namespace

std::vector<Subject> echo_subjects() {
  return subjects_of("echo", []<class C>() { return &run<C>; });
}

}  // namespace harness
