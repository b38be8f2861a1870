// SPDX-License-Identifier: BSL-1.0
#include "harness/programs/programs.hpp"

int main(int argc, char** argv) {
  return harness::run_program(argc, argv, harness::blocking_program());
}
