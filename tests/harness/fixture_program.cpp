// SPDX-License-Identifier: BSL-1.0
// A bench program whose rows end in every way a row can end.
#include "harness/program.hpp"
#include "tests/harness/misbehaving.hpp"

namespace {

std::vector<harness::Cell> cells(const harness::Options&) {
  const auto plain = [](const char* contender) {
    return harness::Cell{"test", contender, {}};
  };
  return {plain("figures"), plain("wrong"),  plain("refuses"),
          plain("dies"),    plain("throws"), plain("crashes").with("signal", "11")};
}

harness::Program fixture_program() {
  return {.name = "bench-fixture",
          .summary = "Rows that end in every way.",
          .parameters = {{.key = "signal", .minimum = 1, .maximum = 31}},
          .questions = {{"test", "ns_per_switch", &cells, &harness::measure_in_subject}},
          .subjects = harness::misbehaving_subjects()};
}

}  // namespace

int main(int argc, char** argv) {
  return harness::run_program(argc, argv, fixture_program());
}
