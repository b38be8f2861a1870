// SPDX-License-Identifier: BSL-1.0
#include "harness/growing/subjects.hpp"

#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace harness::growing {

void run_split_stack(Port& port, const Cell& cell) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return port.failure("failed: this program's own file: " + error.message());
  const auto program = self.parent_path() / "yardstack-split-stack";
  if (access(program.c_str(), X_OK) != 0) {
    return port.failure("refused: no split stacks in this build (x86-64, -fsplit-stack, gold)");
  }
  port.continue_as(program, cell);
}

std::vector<Subject> growing_subjects() {
  return {{"stacks", "plain-stack", &run_split_stack},
          {"stacks", "split-stack", &run_split_stack},
          {"stacks", "moved-stack", &run_moved_stack}};
}

}  // namespace harness::growing
