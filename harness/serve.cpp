// SPDX-License-Identifier: BSL-1.0
#include "harness/serve.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <system_error>
#include <vector>

#include "harness/flags.hpp"
#include "harness/floors/epoll_echo.hpp"
#include "harness/pin.hpp"
#include "harness/runner.hpp"
#include "harness/standard_streams.hpp"
#include "harness/subject.hpp"
#include "harness/workloads/echo.hpp"
#include "io/endpoint.hpp"

namespace harness {

namespace {

const Manual manual{
    "yardstack-serve",
    "Runs the echo server of one contender until Ctrl-C. The server is a process of its "
    "own, whose number is told:\nits CPU time is what yardstack-load --target-pid "
    "reads."};

struct Arguments {
  std::string backend;
  std::string transport = "tcp";
  std::string host = "127.0.0.1";
  std::uint64_t port = 0;
  int cpu = -1;
};

std::vector<Flag> flags_into(Arguments& arguments) {
  return {{"--backend", "the contender, or floor-epoll", &arguments.backend},
          {"--transport", "tcp, or unix: an abstract name", &arguments.transport},
          {"--host", "the IPv4 address to listen at", &arguments.host},
          {"--port", "0: the kernel chooses", &arguments.port},
          {"--cpu", "the CPU to run on; -1: any", &arguments.cpu}};
}

std::vector<Subject> servers() {
  std::vector<Subject> all = echo_subjects();
  all.push_back(floors::epoll_echo());
  return all;
}

/// Empty, or what is wrong with them.
std::string objection(const Arguments& arguments) {
  std::vector<std::string_view> known;
  for (const Subject& server : servers()) known.push_back(server.contender);
  if (std::find(known.begin(), known.end(), arguments.backend) == known.end()) {
    return fmt::format("--backend: '{}' is none of {}", arguments.backend, fmt::join(known, ", "));
  }
  if (arguments.transport != "tcp" && arguments.transport != "unix") {
    return fmt::format("--transport: '{}' is neither tcp nor unix", arguments.transport);
  }
  if (arguments.port > 65'535) return fmt::format("--port: {} is no port", arguments.port);
  const auto cpus = allowed_cpus();
  if (arguments.cpu != -1 && std::find(cpus.begin(), cpus.end(), arguments.cpu) == cpus.end()) {
    return fmt::format("--cpu: {} is none of {}", arguments.cpu, fmt::join(cpus, ", "));
  }
  std::error_code error;
  io::Address::of({io::Endpoint::Transport::tcp, arguments.host}, error);
  return error ? fmt::format("--host: '{}' is no IPv4 address", arguments.host) : "";
}

Cell cell_of(const Arguments& arguments) {
  return {"echo",
          arguments.backend,
          {{"transport", arguments.transport},
           {"host", arguments.host},
           {"port", std::to_string(arguments.port)},
           {"limits", "wait"}}};
}

/// Blocked in this process from now on, so that they can be waited for.
sigset_t block_signals() {
  sigset_t awaited;
  sigemptyset(&awaited);
  for (const int number : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&awaited, number);
  if (sigprocmask(SIG_BLOCK, &awaited, nullptr) != 0) {
    throw std::system_error{errno, std::generic_category(), "sigprocmask"};
  }
  return awaited;
}

int await_signal(const sigset_t& awaited) {
  int number = 0;
  do {
    number = sigwaitinfo(&awaited, nullptr);
  } while (number < 0 && errno == EINTR);
  return number;
}

void serve(const Arguments& arguments) {
  const sigset_t awaited = block_signals();
  Options options;
  options.timeout = std::chrono::hours{24 * 365};
  Child server{cell_of(arguments), options,
               arguments.cpu == -1 ? allowed_cpus() : std::vector{arguments.cpu}};
  server.await_mark("idle");
  fmt::print("listening {} process {}\n", server.await_listening().text(), server.process().pid());
  std::fflush(stdout);
  if (await_signal(awaited) != SIGCHLD) {
    // A second Ctrl-C ends this process at once, and the kernel the server with it.
    if (sigprocmask(SIG_UNBLOCK, &awaited, nullptr) != 0) {
      throw std::system_error{errno, std::generic_category(), "sigprocmask"};
    }
    for (const char* mark : {"measuring", "measured"}) {
      server.go();
      server.await_mark(mark);
    }
    server.go();
  }
  server.finish();
}

}  // namespace

int run_serve(int argc, char** argv) {
  open_missing_standard_descriptors();
  if (is_subject(argc, argv)) return run_subject(argc, argv, servers());
  Arguments arguments;
  if (const auto said = parse_flags({argv + 1, argv + argc}, manual, flags_into(arguments))) {
    return *said;
  }
  if (const auto text = objection(arguments); !text.empty()) return refuse_usage(manual, text);
  try {
    serve(arguments);
    return 0;
  } catch (const Failure& failure) {
    fmt::print(stderr, "{}\n", failure.what());
  } catch (const std::exception& error) {
    fmt::print(stderr, "failed: {}\n", error.what());
  }
  return 1;
}

}  // namespace harness
