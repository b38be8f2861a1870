// SPDX-License-Identifier: BSL-1.0
#include "harness/output_file.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

#include "harness/proc_files.hpp"
#include "io/socket.hpp"

namespace harness {

namespace {

constexpr std::string_view flag = "--benchmark_out=";
constexpr std::string_view format_flag = "--benchmark_out_format=";

bool is_for_regular_file(const std::string& path) {
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  return kind == std::filesystem::file_type::not_found ||
         kind == std::filesystem::file_type::regular;
}

/// A text that a full disk has cut off may end like a whole one, but then it takes no more either.
bool takes_more(const std::string& path) {
  const io::Descriptor file{::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)};
  const off_t end = file ? ::lseek(file.get(), 0, SEEK_END) : -1;
  return end >= 0 && ::write(file.get(), "\n", 1) == 1 && ::ftruncate(file.get(), end) == 0;
}

}  // namespace

OutputFile::OutputFile(std::vector<std::string>& arguments) {
  for (auto& argument : arguments) {
    if (argument.starts_with(format_flag)) json_ = argument.substr(format_flag.size()) == "json";
    if (!argument.starts_with(flag)) continue;
    const std::string path = argument.substr(flag.size());
    if (path.empty() || !is_for_regular_file(path)) continue;
    place_ = path;
    beside_ = path + ".part";
    argument = std::string{flag} + beside_;
  }
}

OutputFile::~OutputFile() {
  if (asked_for()) (void)::unlink(beside_.c_str());
}

std::string OutputFile::keep() {
  // What a full disk has cut off is missing at the end.
  if (!read_text(beside_).ends_with(json_ ? "}\n" : "\n") || !takes_more(beside_)) {
    return fmt::format("failed: {} could not be written to its end (is the disk full?)", place_);
  }
  if (std::rename(beside_.c_str(), place_.c_str()) == 0) return {};
  return fmt::format("failed: {}: {}", place_, std::generic_category().message(errno));
}

}  // namespace harness
