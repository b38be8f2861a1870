// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

/// A folder of its own for files that nobody needs later; gone with the object.
class ScratchFolder {
 public:
  /// Throws std::system_error.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] std::filesystem::path file(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// A compiler of this machine, to be measured itself. Use it on the main thread.
class Compiler {
 public:
  /// `gcc` is the g++ on the path, `clang` its clang++. Throws Failure, `refused: …`, when it is
  /// not there.
  explicit Compiler(std::string_view name);

  /// Compiles a source of the project, named below its folder, as C++20 with further arguments.
  /// Returns the CPU time of the compiler and all that it started. Throws Failure: `refused: …`
  /// when the sources have gone, `failed: …` when it did not compile.
  std::chrono::nanoseconds compile(std::string_view source,
                                   const std::vector<std::string>& arguments,
                                   const std::filesystem::path& output) const;
  /// Links an object.
  void link(const std::filesystem::path& object, const std::filesystem::path& program) const;

 private:
  std::filesystem::path path_;
};

/// What a program of ours tells the descriptor that is its only argument: lines of a name and a
/// number. Throws Failure when it does not end well. On the main thread.
std::map<std::string, double> told_by(const std::filesystem::path& program);

/// Bytes of machine code in an object file: of its sections that can be executed. Throws Failure
/// for what is no 64-bit ELF file of this machine's byte order.
std::uint64_t code_bytes(const std::filesystem::path& object);

}  // namespace harness
