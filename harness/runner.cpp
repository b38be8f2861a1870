// SPDX-License-Identifier: BSL-1.0
#include "harness/runner.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>

#include "harness/interrupt.hpp"

namespace harness {

namespace {

/// More than any honest subject reports: a guard against one that floods.
constexpr std::size_t most_results = 10'000;
constexpr std::size_t most_notes = 100;

PortPair open_port() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::system_error{errno, std::system_category(), "socketpair"};
  }
  return {io::Descriptor{ends[0]}, io::Descriptor{ends[1]}};
}

Start subject_start(const Cell& cell, const Options& options, std::vector<int> cpus, int port) {
  if (cpus.empty()) cpus.push_back(options.subject_cpu);
  return {{own_path(), "--subject", cell.name(), "--port-fd", std::to_string(port), "--measure-ns",
           std::to_string(options.measure_for.count())},
          std::move(cpus),
          port,
          true};
}

/// Takes the word up to the next space off the front.
std::string_view next_word(std::string_view& rest) {
  const auto space = rest.find(' ');
  const auto word = rest.substr(0, space);
  rest = space == std::string_view::npos ? std::string_view{} : rest.substr(space + 1);
  return word;
}

}  // namespace

bool LineReader::next(std::string& line, Deadline deadline, std::string_view expected) {
  while (!take(line)) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) throw Failure{fmt::format("timeout: waiting for {}", expected)};
    pollfd watched[] = {{fd_, POLLIN, 0}, {interrupt_descriptor(), POLLIN, 0}};
    const auto wait_ms = static_cast<int>(std::min<long>(left.count(), INT_MAX));
    if (poll(watched, 2, wait_ms) < 0 && errno != EINTR) {
      throw std::system_error{errno, std::system_category(), "poll"};
    }
    if (interrupted()) throw Failure{"interrupted: by a signal"};
    if (watched[0].revents == 0) continue;
    std::array<char, 65536> chunk;
    const ssize_t got = recv(fd_, chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno == ECONNRESET)) return false;
    if (got > 0) buffered_.append(chunk.data(), static_cast<std::size_t>(got));
    if (buffered_.size() > longest_line && buffered_.find('\n') == std::string::npos) {
      throw Failure{"failed: the subject sent a line without end"};
    }
  }
  return true;
}

bool LineReader::take(std::string& line) {
  const auto end = buffered_.find('\n', searched_);
  if (end == std::string::npos) {
    searched_ = buffered_.size();
    return false;
  }
  line = buffered_.substr(0, end);
  buffered_.erase(0, end + 1);
  searched_ = 0;
  return true;
}

Child::Child(const Cell& cell, const Options& options, std::vector<int> cpus)
    : deadline_{std::chrono::steady_clock::now() + options.timeout},
      pair_{open_port()},
      process_{subject_start(cell, options, std::move(cpus), pair_.child.get())},
      lines_{pair_.parent.get()} {
  pair_.child.reset();  // or the end of the stream would never be seen
}

std::uint64_t Child::await_mark(std::string_view state) {
  const std::string said = await("mark", fmt::format("mark {}", state));
  std::string_view rest = said;
  const auto reached = next_word(rest);
  const auto tasks = parse_number(rest);
  if (reached != state || !tasks) {
    throw Failure{fmt::format("failed: mark {} where {} was expected", said, state)};
  }
  return *tasks;
}

io::Endpoint Child::await_listening() {
  const std::string said = await("listening", "its address");
  std::error_code error;
  auto where = io::Endpoint::parse(said, error);
  if (error) throw Failure{fmt::format("failed: the subject listens at {}", said)};
  return where;
}

void Child::go() {
  const char byte = 'g';
  ssize_t sent = 0;
  do {
    sent = send(pair_.parent.get(), &byte, 1, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent != 1) await("nothing", "nothing");  // it has gone: its last words, or how it ended
}

std::optional<Failure> Child::last_words(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  constexpr std::string_view failure = "failure ";
  std::string line;
  try {
    while (lines_.next(line, until, "last words")) {
      if (line.starts_with(failure)) return Failure{line.substr(failure.size())};
    }
    fail_with_ending();
  } catch (const Failure& found) {
    if (std::string_view{found.what()}.starts_with("timeout:")) return std::nullopt;  // it lives on
    return found;
  }
}

Results Child::finish() {
  std::string line;
  while (lines_.next(line, deadline_, "results")) take_aside(line, "results");
  bool timed_out = false;
  ending_ = process_.wait_until(deadline_, timed_out);
  if (timed_out) throw Failure{"timeout: waiting for the subject's end"};
  if (!ending_.clean()) throw Failure{ending_.failure()};
  return results_;
}

std::string Child::await(std::string_view keyword, std::string_view meaning) {
  std::string line;
  while (lines_.next(line, deadline_, meaning)) {
    std::string_view rest = line;
    if (next_word(rest) == keyword) return std::string{rest};
    take_aside(line, meaning);
  }
  fail_with_ending();
}

void Child::take_aside(std::string_view line, std::string_view expected) {
  std::string_view rest = line;
  const auto word = next_word(rest);
  if (word == "failure") throw Failure{std::string{rest}};
  if (word == "note" && notes_.size() < most_notes) {
    notes_.emplace_back(rest);
    return;
  }
  if (word != "result") {
    throw Failure{fmt::format("failed: the subject said '{}' where {} was expected",
                              line.substr(0, 80), expected)};
  }
  keep_result(rest);
}

void Child::keep_result(std::string_view text) {
  const std::string counter{next_word(text)};
  auto& values = results_[counter];
  values.clear();
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    double value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || (next != end && *next != ',')) {
      throw Failure{
          fmt::format("failed: no figure in the result {} {}", counter, text.substr(0, 80))};
    }
    values.push_back(value);
    at = next == end ? end : next + 1;
  }
  if (results_.size() > most_results) throw Failure{"failed: the subject floods with results"};
}

void Child::fail_with_ending() {
  // Closing the port is the last thing a subject does: it has ended or is about to.
  using namespace std::chrono_literals;
  bool timed_out = false;
  const auto patience = std::min(deadline_, std::chrono::steady_clock::now() + 5s);
  ending_ = process_.wait_until(patience, timed_out);
  if (timed_out) throw Failure{"failed: the subject closed its port and went on"};
  const std::string failure = ending_.failure();
  throw Failure{failure.empty() ? "failed: the subject ended too early" : failure};
}

}  // namespace harness
