// SPDX-License-Identifier: BSL-1.0
#include "harness/compilation.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

#include "harness/build_info.hpp"
#include "harness/process.hpp"
#include "harness/row.hpp"
#include "io/socket.hpp"

namespace harness {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// Longer than any honest compilation: its parent's patience ends earlier.
constexpr auto patience = 10min;

fs::path on_the_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders{path != nullptr ? path : ""};
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path found = fs::path{folder} / program;
    if (access(found.c_str(), X_OK) == 0) return found;
  }
  throw Failure{fmt::format("refused: there is no {} on the path", program)};
}

/// Runs a program to its good end.
Ending run(const std::vector<std::string>& argv, int inherited_fd = -1) {
  // In the subject's group: a compiler is killed together with what it has started.
  Process process{{.argv = argv, .cpus = {}, .inherited_fd = inherited_fd, .own_group = false}};
  bool timed_out = false;
  Ending ending = process.wait_until(std::chrono::steady_clock::now() + patience, timed_out);
  if (!ending.clean()) throw Failure{fmt::format("{} of {}", ending.failure(), argv.front())};
  return ending;
}

std::string text_of(int fd) {
  std::string text;
  std::array<char, 4096> chunk;
  ssize_t got = 0;
  while ((got = pread(fd, chunk.data(), chunk.size(), static_cast<off_t>(text.size()))) > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return text;
}

template <class T>
T read_at(const std::string& file, std::size_t offset) {
  T found;
  if (offset > file.size() || file.size() - offset < sizeof found) {
    throw Failure{"failed: an object file that ends too early"};
  }
  std::memcpy(&found, file.data() + offset, sizeof found);
  return found;
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::string name = (fs::temp_directory_path() / "yardstack-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw std::system_error{errno, std::system_category(), "mkdtemp"};
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  fs::remove_all(path_, error);  // what cannot be removed is the machine's to sweep
}

Compiler::Compiler(std::string_view name)
    : path_{on_the_path(name == "clang" ? "clang++" : "g++")} {}

std::chrono::nanoseconds Compiler::compile(std::string_view source,
                                           const std::vector<std::string>& arguments,
                                           const fs::path& output) const {
  const fs::path sources = build::source_folder;
  if (!fs::exists(sources / source)) {
    throw Failure{fmt::format("refused: there is no {} to compile", (sources / source).string())};
  }
  std::vector<std::string> argv{path_, "-std=c++20", fmt::format("-I{}", sources.string())};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  argv.insert(argv.end(), {"-c", sources / source, "-o", output});
  return cpu_time(run(argv).usage);
}

void Compiler::link(const fs::path& object, const fs::path& program) const {
  run({path_, object, "-o", program});
}

std::map<std::string, double> told_by(const fs::path& program) {
  const io::Descriptor ear{memfd_create("told", MFD_CLOEXEC)};
  if (!ear) throw std::system_error{errno, std::system_category(), "memfd_create"};
  run({program, std::to_string(ear.get())}, ear.get());
  std::map<std::string, double> told;
  std::istringstream lines{text_of(ear.get())};
  std::string name;
  for (double value = 0; lines >> name >> value;) told[name] = value;
  return told;
}

std::uint64_t code_bytes(const fs::path& object) {
  std::ifstream stream{object, std::ios::binary};
  const std::string file{std::istreambuf_iterator<char>{stream}, {}};
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  constexpr auto byte_order =
      std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != byte_order) {
    throw Failure{fmt::format("failed: {} is no object file of this machine", object.string())};
  }
  std::uint64_t bytes = 0;
  for (unsigned index = 0; index < header.e_shnum; ++index) {
    const auto section =
        read_at<Elf64_Shdr>(file, header.e_shoff + std::size_t{index} * header.e_shentsize);
    if ((section.sh_flags & SHF_EXECINSTR) != 0) bytes += section.sh_size;
  }
  return bytes;
}

}  // namespace harness
