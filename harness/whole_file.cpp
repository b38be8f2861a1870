// SPDX-License-Identifier: BSL-1.0
#include "harness/whole_file.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <linux/magic.h>
#include <optional>
#include <random>
#include <sys/vfs.h>
#include <unistd.h>

#include "io/socket.hpp"

namespace harness {

namespace {

namespace fs = std::filesystem;

std::error_code last_error() {
  return {errno, std::generic_category()};
}

/// Its links lead to open files, not to names.
bool is_of_processes(const fs::path& folder) {
  struct statfs about {};
  return statfs(folder.empty() ? "." : folder.c_str(), &about) == 0 &&
         about.f_type == PROC_SUPER_MAGIC;
}

/// The name that a new file can be moved to; empty for what has to be written in its place.
std::optional<fs::path> replaceable(fs::path path, std::error_code& error) {
  const fs::file_type kind = fs::status(path, error).type();
  if (kind == fs::file_type::none) return std::nullopt;
  error.clear();
  if (kind == fs::file_type::directory) error = std::make_error_code(std::errc::is_a_directory);
  if (kind != fs::file_type::regular && kind != fs::file_type::not_found) return std::nullopt;
  while (fs::is_symlink(fs::symlink_status(path, error))) {  // no circle: it has a status
    const fs::path folder = path.parent_path();
    if (is_of_processes(folder)) return std::nullopt;
    path = folder / fs::read_symlink(path, error);
    if (error) return std::nullopt;
  }
  error.clear();
  return path;
}

/// While it lives, no signal that asks this process to end does so: it comes afterwards.
class Undisturbed {
 public:
  Undisturbed() noexcept {
    sigset_t endings;
    sigemptyset(&endings);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&endings, signal);
    pthread_sigmask(SIG_BLOCK, &endings, &before_);
  }
  ~Undisturbed() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

 private:
  sigset_t before_{};
};

/// A name of this call's own, in the same folder: whoever else writes to the place does not meet
/// it.
std::string beside(const fs::path& place) {
  std::random_device random;
  return fmt::format("{}.{:08x}{:08x}.part", place.string(), random(), random());
}

std::error_code write_to(const std::string& path, int how, std::string_view text) {
  io::Descriptor file{::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | how, 0666)};
  if (!file) return last_error();
  while (!text.empty()) {
    const ssize_t put = ::write(file.get(), text.data(), text.size());
    if (put < 0 && errno != EINTR) return last_error();
    if (put > 0) text.remove_prefix(static_cast<std::size_t>(put));
  }
  return ::close(file.release()) == 0 ? std::error_code{} : last_error();
}

/// Nothing stays there unless it is all there.
std::error_code write_beside(const std::string& draft, std::string_view text) {
  const std::error_code error = write_to(draft, O_CREAT | O_EXCL, text);
  if (error) (void)::unlink(draft.c_str());
  return error;
}

}  // namespace

std::error_code write_whole(const std::string& path, std::string_view text) {
  std::error_code error;
  const auto place = replaceable(path, error);
  if (error) return error;
  if (!place) {
    (void)std::fflush(nullptr);  // it may be where standard output goes
    return write_to(path, O_APPEND, text);
  }
  const Undisturbed until_done;
  const std::string draft = beside(*place);
  error = write_beside(draft, text);
  if (error || ::rename(draft.c_str(), place->c_str()) == 0) return error;
  error = last_error();
  (void)::unlink(draft.c_str());
  return error;
}

std::error_code check_writable(const std::string& path) {
  std::error_code error;
  const auto place = replaceable(path, error);
  if (error) return error;
  // What is there is not opened: a pipe's reader would take that for all there is to come.
  if (::access(path.c_str(), W_OK) != 0 && (!place || errno != ENOENT)) return last_error();
  if (!place) return {};
  const Undisturbed until_done;
  const std::string draft = beside(*place);
  error = write_beside(draft, {});
  if (!error) (void)::unlink(draft.c_str());
  return error;
}

}  // namespace harness
