// SPDX-License-Identifier: BSL-1.0
#include "harness/subject.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/last_words.hpp"
#include "harness/limits.hpp"
#include "harness/row.hpp"

namespace harness {

namespace {

/// What the parent passes: `--subject ROW --port-fd N --measure-ns N`, in this order.
constexpr int subject_argc = 7;

}  // namespace

void Port::mark(std::string_view state, std::uint64_t tasks) noexcept {
  std::array<char, 128> line;
  const auto end = fmt::format_to_n(line.data(), line.size(), "mark {} {}\n", state, tasks);
  send_line({line.data(), std::min(end.size, line.size())});
}

void Port::listening(const io::Endpoint& where) {
  send_line(fmt::format("listening {}\n", where.text()));
}

void Port::note(std::string_view text) {
  send_line(fmt::format("note {}\n", text));
}

void Port::result(std::string_view counter, double value) noexcept {
  std::array<char, 128> line;
  const auto end = fmt::format_to_n(line.data(), line.size(), "result {} {}\n", counter, value);
  send_line({line.data(), std::min(end.size, line.size())});
}

void Port::result(std::string_view counter, std::span<const double> batches) {
  send_line(fmt::format("result {} {}\n", counter, fmt::join(batches, ",")));
}

void Port::failure(std::string_view line) noexcept {
  if (failed_.exchange(true)) return;
  std::array<char, 512> text;
  const auto end = fmt::format_to_n(text.data(), text.size() - 1, "failure {}", line);
  const auto length = std::min(end.size, text.size() - 1);
  std::replace(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length), '\n', ' ');
  text[length] = '\n';
  send_line({text.data(), length + 1});
}

void Port::give_up(std::string_view line) noexcept {
  failure(line);
  std::_Exit(0);
}

void Port::continue_as(const std::string& program, const Cell& cell) {
  std::array<std::string, subject_argc> arguments{program,
                                                  "--subject",
                                                  cell.name(),
                                                  "--port-fd",
                                                  std::to_string(fd_),
                                                  "--measure-ns",
                                                  std::to_string(measure_for_.count())};
  std::array<char*, subject_argc + 1> argv{};
  std::ranges::transform(arguments, argv.begin(), [](std::string& text) { return text.data(); });
  execv(program.c_str(), argv.data());
  const std::error_code error{errno, std::system_category()};
  failure(fmt::format("failed: {}: {}", program, error.message()));
}

io::Descriptor Port::go_descriptor(io::Mode mode, std::error_code& error) const {
  io::Descriptor copy{fcntl(fd_, F_DUPFD_CLOEXEC, 0)};
  const int flags = copy ? fcntl(copy.get(), F_GETFL) : -1;
  // The status flags belong to the socket, not to the copy: send_line copes with either.
  const int wanted = mode == io::Mode::nonblocking ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
  if (flags < 0 || fcntl(copy.get(), F_SETFL, wanted) < 0) {
    error = {errno, std::system_category()};
    copy.reset();
    return copy;
  }
  error.clear();
  return copy;
}

void Port::send_line(std::string_view line) noexcept {
  const std::lock_guard lock{sending_};
  while (!line.empty()) {
    const ssize_t sent = send(fd_, line.data(), line.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      line.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd writable{fd_, POLLOUT, 0};
      if (poll(&writable, 1, -1) < 0 && errno != EINTR) return;
    } else if (errno != EINTR) {
      return;  // the parent is gone, and the kernel ends this process with it
    }
  }
}

namespace {

const Subject* find(std::span<const Subject> subjects, const Cell& cell) {
  const auto found = std::find_if(subjects.begin(), subjects.end(), [&](const Subject& subject) {
    return subject.question == cell.question && subject.contender == cell.contender;
  });
  return found == subjects.end() ? nullptr : &*found;
}

}  // namespace

bool is_subject(int argc, char** argv) {
  return argc > 1 && argv[1] == std::string_view{"--subject"};
}

int run_subject(int argc, char** argv, std::span<const Subject> subjects) {
  if (argc != subject_argc || argv[3] != std::string_view{"--port-fd"} ||
      argv[5] != std::string_view{"--measure-ns"}) {
    fmt::print(stderr, "a subject is started by its program only\n");
    return 2;
  }
  const auto fd = parse_number(argv[4]);
  const auto measure_ns = parse_number(argv[6]);
  if (!fd || !measure_ns || fcntl(static_cast<int>(*fd), F_GETFD) < 0) {
    fmt::print(stderr, "--port-fd {} --measure-ns {}: no open port\n", argv[4], argv[6]);
    return 2;
  }
  Port port{static_cast<int>(*fd), std::chrono::nanoseconds{*measure_ns}};
  const auto cell = Cell::parse(argv[2]);
  const Subject* subject = cell ? find(subjects, *cell) : nullptr;
  if (subject == nullptr) {
    port.failure(fmt::format("failed: this program has no subject for {}", argv[2]));
    return 2;
  }
  const LastWords when_memory_runs_out{port};
  try {
    subject->run(port, *cell);
  } catch (const Failure& failure) {
    port.failure(failure.what());
  } catch (const std::exception& error) {
    port.failure(refusal(error));
  }
  return 0;
}

}  // namespace harness
