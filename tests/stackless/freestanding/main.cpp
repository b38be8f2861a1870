// SPDX-License-Identifier: BSL-1.0

extern "C" int run_in_arena();

int main() {
  return run_in_arena();
}
