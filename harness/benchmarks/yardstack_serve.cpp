// SPDX-License-Identifier: BSL-1.0
#include "harness/serve.hpp"

int main(int argc, char** argv) {
  return harness::run_serve(argc, argv);
}
