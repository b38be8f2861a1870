// SPDX-License-Identifier: BSL-1.0
#include "tests/harness/run.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace harness {

namespace {

std::string text_of(const std::string& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::system_error last_error(const char* what) {
  return std::system_error{errno, std::system_category(), what};
}

}  // namespace

Running::Running(const std::string& name, std::vector<std::string> arguments)
    : folder_{std::filesystem::temp_directory_path() / "yardstack-test-XXXXXX"} {
  if (mkdtemp(folder_.data()) == nullptr) throw last_error("mkdtemp");
  const std::string path = std::string{YARDSTACK_BUILD_FOLDER} + '/' + name;
  arguments.insert(arguments.begin(), path);
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const std::string out_file = folder_ + "/out";
  const std::string err_file = folder_ + "/err";
  pid_ = fork();
  if (pid_ < 0) throw last_error("fork");
  if (pid_ > 0) return;
  const int out = open(out_file.c_str(), O_WRONLY | O_CREAT, 0600);
  const int err = open(err_file.c_str(), O_WRONLY | O_CREAT, 0600);
  if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0) _exit(126);
  execv(path.c_str(), argv.data());
  _exit(127);
}

Running::~Running() {
  if (!ended_) {
    kill(pid_, SIGKILL);
    wait();
  }
  std::filesystem::remove_all(folder_);
}

std::vector<pid_t> Running::children() const {
  const auto pid = std::to_string(pid_);
  std::ifstream in{"/proc/" + pid + "/task/" + pid + "/children"};
  return {std::istream_iterator<pid_t>{in}, {}};
}

void Running::signal(int number) const {
  if (kill(pid_, number) != 0) throw last_error("kill");
}

int Running::wait() {
  int status = 0;
  if (waitpid(pid_, &status, 0) != pid_) throw last_error("waitpid");
  ended_ = true;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string Running::out() const {
  return text_of(folder_ + "/out");
}
std::string Running::err() const {
  return text_of(folder_ + "/err");
}

std::map<std::string, nlohmann::json> rows_of(const std::string& text) {
  std::map<std::string, nlohmann::json> rows;
  const auto whole = nlohmann::json::parse(text);
  for (const auto& row : whole.at("benchmarks")) {
    const auto name = row.at("name").get<std::string>();
    rows[name.substr(0, name.find("/iterations:"))] = row;
  }
  return rows;
}

}  // namespace harness
