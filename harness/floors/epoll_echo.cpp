// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/epoll_echo.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

#include "harness/floors/raw_listener.hpp"
#include "harness/limits.hpp"

namespace harness::floors {

namespace {

constexpr std::chrono::milliseconds pause_at_a_limit{10};  // as in workloads/echo_host.cpp

struct Connection {
  Connection(int of, Connection* first) : fd{of}, next{first} {}

  int fd;
  Connection* previous = nullptr;  // of those present
  Connection* next;
  bool ending = false;  // the peer has said that nothing follows
  std::size_t filled = 0;
  std::size_t sent = 0;
  std::array<std::byte, 4096> buffer;  // what lies between sent and filled has still to go back
};

struct Counts {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t waits = 0;
  std::uint64_t registrations = 0;
  std::uint64_t connections = 0;
};

class Server {
 public:
  Server(Port& port, const Cell& cell);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  void run();

 private:
  void watch(int fd, std::uint32_t events, void* tag);
  void let_in();
  void turn_away(std::error_code error);
  void admit(bool at_all);
  void serve(Connection& connection, std::uint32_t events);
  bool flush(Connection& connection);
  void end(Connection& connection);
  void obey();
  void stop();
  void report();

  Port& port_;
  io::Descriptor go_;  // only the owner of the number
  int epoll_;
  RawListener listener_;
  Counts counts_;
  Counts before_;
  std::uint64_t present_ = 0;
  Connection* first_ = nullptr;
  bool limits_wait_;    // rather than end the row (a server by itself)
  bool admits_ = true;  // false for a while at a limit
  std::chrono::steady_clock::time_point admits_again_;
  unsigned goes_ = 0;
  bool over_ = false;
};

Server::Server(Port& port, const Cell& cell)
    : port_{port},
      epoll_{checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")},
      listener_{listen_where(cell)},
      limits_wait_{cell.text("limits") == "wait"} {
  std::error_code error;
  go_ = port.go_descriptor(io::Mode::nonblocking, error);
  if (error) throw std::system_error{error, "go"};
  watch(listener_.fd, EPOLLIN, &listener_);
  watch(go_.get(), EPOLLIN, &go_);
  counts_ = {};
  port.mark("idle", 0);
  announce(port, listener_);
}

Server::~Server() {
  while (first_ != nullptr) end(*first_);
  ::close(listener_.fd);
  ::close(epoll_);
}

void Server::watch(int fd, std::uint32_t events, void* tag) {
  epoll_event event{.events = events, .data = {.ptr = tag}};
  checked(::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
  ++counts_.registrations;
}

void Server::run() {
  std::array<epoll_event, 256> events;
  while (!over_ || present_ > 0) {
    const int at_most_ms = admits_ || over_ ? -1 : static_cast<int>(pause_at_a_limit.count());
    const int ready =
        ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), at_most_ms);
    if (ready < 0 && errno != EINTR) checked(ready, "epoll_wait");
    ++counts_.waits;
    if (!admits_ && !over_ && std::chrono::steady_clock::now() >= admits_again_) admit(true);
    for (int i = 0; i < ready; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      if (event.data.ptr == &listener_) {
        let_in();
      } else if (event.data.ptr == &go_) {
        obey();
      } else {
        serve(*static_cast<Connection*>(event.data.ptr), event.events);
      }
    }
  }
}

void Server::let_in() {
  while (true) {
    const int fd = ::accept4(listener_.fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0 && (errno == ECONNABORTED || errno == EINTR)) continue;
    if (fd < 0 && errno == EAGAIN) return;
    if (fd < 0) return turn_away({errno, std::system_category()});
    const int on = 1;
    (void)::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // not for Unix-domain ones
    auto* const connection = new Connection{fd, first_};
    if (first_ != nullptr) first_->previous = connection;
    first_ = connection;
    watch(fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, connection);
    ++counts_.connections;
    ++present_;
  }
}

// Descriptors take time to come free: asked for at once again, the listener would spin.
void Server::turn_away(std::error_code error) {
  if (!limits_wait_) port_.give_up(refusal(error, present_));
  admit(false);
  admits_again_ = std::chrono::steady_clock::now() + pause_at_a_limit;
}

void Server::admit(bool at_all) {
  epoll_event event{.events = at_all ? EPOLLIN : 0u, .data = {.ptr = &listener_}};
  checked(::epoll_ctl(epoll_, EPOLL_CTL_MOD, listener_.fd, &event), "epoll_ctl");
  admits_ = at_all;
}

void Server::serve(Connection& connection, std::uint32_t events) {
  connection.ending = connection.ending || (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  const bool readable = connection.ending || (events & EPOLLIN) != 0;
  if (connection.sent < connection.filled && !flush(connection)) return;
  while (readable) {
    const ssize_t got =
        ::recv(connection.fd, connection.buffer.data(), connection.buffer.size(), 0);
    ++counts_.reads;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return end(connection);
    connection.filled = static_cast<std::size_t>(got);
    connection.sent = 0;
    if (!flush(connection)) return;
    if (connection.filled < connection.buffer.size() && !connection.ending) return;
  }
}

// False: the socket takes no more now, or the connection is gone. A short write has filled it.
bool Server::flush(Connection& connection) {
  ssize_t put = -1;
  do {
    put = ::send(connection.fd, connection.buffer.data() + connection.sent,
                 connection.filled - connection.sent, MSG_NOSIGNAL);
    ++counts_.writes;
  } while (put < 0 && errno == EINTR);
  if (put < 0 && errno == EAGAIN) return false;
  if (put < 0) return end(connection), false;
  connection.sent += static_cast<std::size_t>(put);
  return connection.sent == connection.filled;
}

void Server::end(Connection& connection) {
  (connection.previous == nullptr ? first_ : connection.previous->next) = connection.next;
  if (connection.next != nullptr) connection.next->previous = connection.previous;
  ::close(connection.fd);
  --present_;
  delete &connection;
}

void Server::obey() {
  char go = 0;
  const ssize_t got = ::recv(go_.get(), &go, 1, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got == 1 && goes_ < 2) {
    if (goes_ == 1) report();
    before_ = counts_;
    port_.mark(goes_ == 0 ? "measuring" : "measured", present_);
    ++goes_;
    return;
  }
  stop();
}

// Nobody is let in any more, and those being served read the end of their stream.
void Server::stop() {
  over_ = true;
  checked(::epoll_ctl(epoll_, EPOLL_CTL_DEL, go_.get(), nullptr), "epoll_ctl");
  checked(::epoll_ctl(epoll_, EPOLL_CTL_DEL, listener_.fd, nullptr), "epoll_ctl");
  for (const Connection* guest = first_; guest != nullptr; guest = guest->next) {
    ::shutdown(guest->fd, SHUT_RDWR);  // one that never reads would else keep us for ever
  }
}

void Server::report() {
  const auto send = [this](const char* name, std::uint64_t value) {
    port_.result(name, static_cast<double>(value));
  };
  send("reads", counts_.reads - before_.reads);
  send("writes", counts_.writes - before_.writes);
  send("waits", counts_.waits - before_.waits);
  send("registrations", counts_.registrations);
  send("connections", counts_.connections);
}

}  // namespace

Subject epoll_echo() {
  return {"echo", "floor-epoll", [](Port& port, const Cell& cell) {
            Server{port, cell}.run();
          }};
}

}  // namespace harness::floors
