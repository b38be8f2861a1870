// SPDX-License-Identifier: BSL-1.0
#include "harness/output_file.hpp"

#include <cerrno>
#include <fmt/format.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

#include "harness/proc_files.hpp"
#include "harness/whole_file.hpp"

namespace harness {

namespace {

constexpr std::string_view flag = "--benchmark_out=";
constexpr std::string_view format_flag = "--benchmark_out_format=";

}  // namespace

OutputFile::OutputFile(std::vector<std::string>& arguments) {
  for (auto& argument : arguments) {
    if (argument.starts_with(format_flag)) json_ = argument.substr(format_flag.size()) == "json";
    if (!argument.starts_with(flag) || argument == flag) continue;
    place_ = argument.substr(flag.size());
    draft_ = io::Descriptor{memfd_create("rows", MFD_CLOEXEC)};
    if (!draft_) throw std::system_error{errno, std::generic_category(), "memfd_create"};
    argument = fmt::format("{}{}", flag, draft_path());
  }
}

std::string OutputFile::draft_path() const {
  return fmt::format("/proc/self/fd/{}", draft_.get());
}

std::string OutputFile::keep() {
  const std::string text = read_text(draft_path());
  // What found no room is missing at the end. It may end like a whole one, but then it takes no
  // more either.
  if (!text.ends_with(json_ ? "}\n" : "\n") ||
      ::pwrite(draft_.get(), "\n", 1, static_cast<off_t>(text.size())) != 1) {
    return fmt::format("failed: {} could not be written: its text found no room", place_);
  }
  const std::error_code error = write_whole(place_, text);
  if (!error) return {};
  return fmt::format("failed: {} could not be written: {}", place_, error.message());
}

}  // namespace harness
