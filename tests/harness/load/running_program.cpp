// SPDX-License-Identifier: BSL-1.0
#include "tests/harness/load/running_program.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sys/mman.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "harness/load/server_clock.hpp"

namespace harness::load::test {
namespace {

using namespace std::chrono_literals;

// Hang guards only.
constexpr auto patience = 60s;
constexpr auto between_looks = 2ms;

int checked(int result, const char* what) {
  if (result < 0) throw std::system_error{errno, std::generic_category(), what};
  return result;
}

std::string contents(int file) {
  std::string text;
  char piece[4096];
  while (true) {
    const ssize_t got = ::pread(file, piece, sizeof piece, static_cast<off_t>(text.size()));
    if (got <= 0) return text;
    text.append(piece, static_cast<std::size_t>(got));
  }
}

template <class Condition>
bool comes_true(Condition condition, std::chrono::nanoseconds within) {
  const auto deadline = std::chrono::steady_clock::now() + within;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    ::usleep(between_looks / 1us);
  }
  return true;
}

}  // namespace

RunningProgram::RunningProgram(std::vector<std::string> arguments)
    : out_{checked(::memfd_create("out", MFD_CLOEXEC), "memfd_create")},
      err_{checked(::memfd_create("err", MFD_CLOEXEC), "memfd_create")} {
  arguments.front() = std::string{PROGRAMS_FOLDER} + '/' + arguments.front();
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_ = checked(::fork(), "fork");
  if (pid_ != 0) return;
  const bool ready = ::dup2(out_, STDOUT_FILENO) >= 0 && ::dup2(err_, STDERR_FILENO) >= 0;
  if (ready) ::execv(argv.front(), argv.data());
  _exit(127);
}

RunningProgram::~RunningProgram() {
  if (!ended_) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(out_);
  ::close(err_);
}

int RunningProgram::wait() {
  int status = 0;
  const auto has_ended = [&] {
    return ::waitpid(pid_, &status, WNOHANG) == pid_;
  };
  if (!comes_true(has_ended, patience)) return -1;
  ended_ = true;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void RunningProgram::signal(int number) const {
  checked(::kill(pid_, number), "kill");
}

bool RunningProgram::works_for(std::chrono::nanoseconds cpu_time) const {
  const ServerClock clock{pid_};
  return comes_true([&] { return clock.now() >= cpu_time; }, patience);
}

std::string RunningProgram::out() const {
  return contents(out_);
}
std::string RunningProgram::err() const {
  return contents(err_);
}

std::string RunningProgram::first_line() const {
  comes_true([this] { return out().find('\n') != std::string::npos; }, patience);
  return out().substr(0, out().find('\n'));
}

bool vanishes(pid_t pid) {
  const auto is_gone = [pid] {
    std::ifstream stat{"/proc/" + std::to_string(pid) + "/stat"};
    std::string text;
    std::getline(stat, text);
    return text.empty() || text.find(") Z ") != std::string::npos;
  };
  return comes_true(is_gone, patience);
}

}  // namespace harness::load::test
