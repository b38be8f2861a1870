// SPDX-License-Identifier: BSL-1.0
#include "harness/load/command.hpp"

int main(int argc, char** argv) {
  return harness::load::run_command(argc, argv);
}
