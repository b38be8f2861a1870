// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/echo.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>

#include "harness/floors/epoll_echo.hpp"
#include "harness/load/subject.hpp"
#include "harness/pair.hpp"
#include "harness/programs/programs.hpp"

namespace harness {

namespace {

constexpr std::string_view foreign = "target";

/// The server of --target; its process may be 0: unknown. Throws std::invalid_argument.
load::Target foreign_target(const Options& options) {
  const std::string& text = options.setting("target");
  const std::string& pid_text = options.setting("target-pid");
  std::error_code error;
  load::Target target{load::Address::parse(text, error)};
  if (error || text.find('/') != text.npos) {  // a path cannot be told to a child
    throw std::invalid_argument{
        fmt::format("--target: '{}' is no HOST:PORT and no unix:@NAME", text)};
  }
  const auto pid = parse_number(pid_text.empty() ? "0" : pid_text);
  if (!pid || *pid > static_cast<std::uint64_t>(std::numeric_limits<pid_t>::max())) {
    throw std::invalid_argument{fmt::format("--target-pid: '{}' is no process", pid_text)};
  }
  target.pid = static_cast<pid_t>(*pid);
  return target;
}

/// A foreign server speaks one transport only.
bool is_spoken_by(const load::Target& server, const Cell& cell) {
  return cell.text("transport", "tcp") == (server.address.tcp() ? "tcp" : "unix");
}

std::vector<Cell> spoken_by(const load::Target& server, std::vector<Cell> cells) {
  std::erase_if(cells, [&](const Cell& cell) { return !is_spoken_by(server, cell); });
  return cells;
}

/// Of rows that are named, when there is a foreign server, and of its own when there is none.
std::string objection_to_servers(const Options& options) {
  const bool own = options.setting("target").empty();
  if (own && !options.setting("target-pid").empty()) {
    return "--target-pid: of which server? Name it, too: --target=HOST:PORT";
  }
  for (const auto& name : options.cells) {
    const auto cell = Cell::parse(name);
    if (!cell) continue;  // which is told in its turn
    if (own && cell->contender == foreign) {
      return fmt::format("--cell: {}: which server? Name it: --target=HOST:PORT", name);
    }
    if (!own && (cell->contender != foreign || !is_spoken_by(foreign_target(options), *cell))) {
      return fmt::format("--cell: {}: no row of the server of --target; leave one of them out",
                         name);
    }
  }
  return {};
}

/// `…/active:A` and the like only where they say something.
std::vector<Cell> with_optional(std::vector<Cell> cells, std::string_view key,
                                std::string_view usual, const Options& options) {
  std::vector<Cell> longer;
  for (const auto& cell : cells) {
    for (const auto& value : options.list(key)) {
      longer.push_back(value == usual ? cell : cell.with(key, value));
    }
  }
  return longer;
}

std::vector<Cell> cells(const Options& options) {
  const bool own = options.setting("target").empty();
  std::vector<std::string> contenders{std::string{own ? floor_server : foreign}};
  if (own) {
    for (const auto& subject : echo_subjects()) contenders.emplace_back(subject.contender);
  }
  auto cells = cross("echo", contenders, {"transport", "connections", "bytes"}, options);
  if (!own) cells = spoken_by(foreign_target(options), std::move(cells));
  cells = with_optional(std::move(cells), "active", "0", options);
  cells = with_optional(std::move(cells), "rate", "0", options);
  return with_optional(std::move(cells), "buffer", "private", options);
}

std::string objection(const Cell& cell) {
  const std::uint64_t connections = cell.number("connections", load::Plan{}.connections);
  if (cell.number("active", 0) > connections) {
    return fmt::format("of {} connections {} cannot be active", connections, cell.text("active"));
  }
  return {};
}

Row measure(const Cell& cell, const Options& options) {
  if (cell.contender != foreign) return measure_pair(cell, options);
  return measure_pair(cell, options, foreign_target(options));
}

std::vector<Subject> subjects() {
  std::vector<Subject> all = echo_subjects();
  all.push_back(floors::epoll_echo());
  all.push_back(load::subject());
  all.push_back({"echo", foreign, [](Port& port, const Cell&) {
                   port.failure("failed: a foreign server is started by its owner");
                 }});
  return all;
}

}  // namespace

Program echo_program() {
  return {
      .name = "bench-echo",
      .summary = "What an echo server costs beside a raw epoll loop, both driven in turns.",
      .parameters = {{.key = "transport",
                      .defaults = {"tcp", "unix"},
                      .words = {"tcp", "unix"},
                      .help = "TCP over loopback, or Unix-domain sockets"},
                     {.key = "connections",
                      .defaults = {"64", "1000"},
                      .minimum = 1,
                      .maximum = load::Plan::most_connections,
                      .help = "to each of the two servers"},
                     {.key = "bytes",
                      .defaults = {"64"},
                      .minimum = 1,
                      .maximum = load::Plan::most_bytes,
                      .help = "of a message"},
                     {.key = "active",
                      .defaults = {"0"},
                      .minimum = 0,
                      .maximum = load::Plan::most_connections,
                      .help = "connections that send, the others are idle; 0: all send"},
                     {.key = "rate",
                      .defaults = {"0", "half"},
                      .minimum = 0,
                      .maximum = static_cast<std::uint64_t>(load::Plan::most_rate),
                      .words = {"half"},
                      .help = "messages a second in open loop; half: of what floor and client "
                              "reach together; 0: closed loop"},
                     {.key = "buffer",
                      .defaults = {"private"},
                      .words = {"private", "borrowed"},
                      .help = "in the task's own state, or its worker's while something is in it"}},
      .questions = {{"echo", "cpu_vs_floor", &cells, &measure, {}, &objection}},
      .subjects = subjects(),
      .measure_for = std::chrono::duration<double>{4},
      .settings = {{"target", "measure this server instead (HOST:PORT or unix:@NAME)"},
                   {"target-pid", "its process, for its CPU time"},
                   {"half-rates", "file that keeps the rates of rate:half for further calls"}},
      .objection = &objection_to_servers,
  };
}

}  // namespace harness
