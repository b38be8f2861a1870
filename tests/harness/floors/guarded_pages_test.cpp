// SPDX-License-Identifier: BSL-1.0
#include "harness/floors/guarded_pages.hpp"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <system_error>

#include "tests/harness/port_reader.hpp"

namespace harness::floors {
namespace {

constexpr std::size_t count = 100;

long mappings() {
  std::ifstream maps{"/proc/self/maps"};
  return std::count(std::istreambuf_iterator<char>{maps}, {}, '\n');
}

/// Pages in memory, of the whole process.
long resident_pages() {
  std::ifstream statm{"/proc/self/statm"};
  long all = 0;
  long resident = 0;
  statm >> all >> resident;
  return resident;
}

TEST(GuardedPages, EachTouchesAPageAndOnlyMprotectTakesMappings) {
  for (const std::string guard : {"none", "mprotect", "madvise"}) {
    GuardedPages pages{count, 65'536, guard};
    const long mappings_before = mappings();
    const long resident_before = resident_pages();
    const std::error_code error = pages.make(count);
    if (guard == "madvise" && error == std::errc::invalid_argument) {
      continue;  // before Linux 6.13
    }
    ASSERT_FALSE(error) << guard << ": " << error.message();
    EXPECT_GE(resident_pages() - resident_before, static_cast<long>(count * 9 / 10)) << guard;
    const long split = mappings() - mappings_before;
    EXPECT_GE(split, guard == "mprotect" ? static_cast<long>(2 * count - 2) : 0) << guard;
    EXPECT_LE(split, guard == "mprotect" ? static_cast<long>(2 * count + 2) : 2) << guard;
  }
}

TEST(GuardedPages, AreTimedAsARow) {
  PortReader reader;
  page_subjects().front().run(reader.port,
                              *Cell::parse("stacks/floor-page/stack:16384/guard:none"));
  EXPECT_FALSE(reader.port.failed());
  EXPECT_GT(reader.results().at("ns_per_create"), 0);
}

}  // namespace
}  // namespace harness::floors
