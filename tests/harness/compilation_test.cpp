// SPDX-License-Identifier: BSL-1.0
#include "harness/compilation.hpp"

#include <cstdlib>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <string>

#include "harness/row.hpp"

namespace harness {
namespace {

constexpr auto probe = "harness/workloads/probes/frame.cpp";

std::string failure_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Failure& failure) {
    return failure.what();
  }
  return {};
}

/// An environment whose path leads nowhere, for a while.
class NoPath {
 public:
  NoPath() { setenv("PATH", "/nonexistent", 1); }
  ~NoPath() { setenv("PATH", path_.c_str(), 1); }

 private:
  std::string path_ = std::getenv("PATH");
};

TEST(Compiler, IsRefusedWhereThereIsNone) {
  const NoPath nowhere;
  EXPECT_EQ(failure_of([] { Compiler{"gcc"}; }), "refused: there is no g++ on the path");
  EXPECT_EQ(failure_of([] { Compiler{"clang"}; }), "refused: there is no clang++ on the path");
}

TEST(Compiler, CompilesLinksAndIsTimed) {
  const ScratchFolder folder;
  const Compiler compiler{"gcc"};
  EXPECT_GT(compiler.compile(probe, {"-O0"}, folder.file("probe.o")).count(), 0);
  compiler.link(folder.file("probe.o"), folder.file("probe"));
  const auto told = told_by(folder.file("probe"));
  EXPECT_GE(told.at("live"), 1024);
  EXPECT_GT(told.at("major"), 0);
  EXPECT_LT(told.at("empty"), 1024);
}

TEST(Compiler, SaysWhatDoesNotCompile) {
  const ScratchFolder folder;
  const Compiler compiler{"gcc"};
  EXPECT_TRUE(failure_of([&] {
                (void)compiler.compile(probe, {"-fno-such-option"}, folder.file("probe.o"));
              }).starts_with("failed: exit status 1"));
  EXPECT_TRUE(failure_of([&] {
                (void)compiler.compile("harness/no/such.cpp", {}, folder.file("probe.o"));
              }).starts_with("refused: there is no "));
}

TEST(Compiler, ItsCodeIsCountedInTheObject) {
  const ScratchFolder folder;
  const Compiler compiler{"gcc"};
  const auto size_at = [&](const char* level) {
    (void)compiler.compile(probe, {level}, folder.file("probe.o"));
    return code_bytes(folder.file("probe.o"));
  };
  const auto plain = size_at("-O0");
  EXPECT_GT(plain, 100U);
  EXPECT_LT(size_at("-Os"), plain);
  std::ofstream{folder.file("text")} << "no object file, but long enough to hold a header of one: "
                                     << std::string(64, '.');
  EXPECT_NE(failure_of([&] { (void)code_bytes(folder.file("text")); }), "");
  EXPECT_NE(failure_of([&] { (void)code_bytes(folder.file("nothing")); }), "");
}

TEST(ScratchFolder, GoesWithAllThatIsInIt) {
  std::filesystem::path file;
  {
    const ScratchFolder folder;
    file = folder.file("note");
    std::ofstream{file} << "text";
    EXPECT_TRUE(std::filesystem::exists(file));
  }
  EXPECT_FALSE(std::filesystem::exists(file.parent_path()));
}

}  // namespace
}  // namespace harness
