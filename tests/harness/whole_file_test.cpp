// SPDX-License-Identifier: BSL-1.0
#include "harness/whole_file.hpp"

#include <array>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tests/harness/in_a_child.hpp"

namespace harness {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

int interruption = 0;  // what a handler of another signal raises

/// Each test in a folder of its own, which must hold nothing but what the test has put there.
class WholeFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "yardstack-file-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path in_folder(const std::string& name) const { return folder_ / name; }
  void put(const std::string& name, const std::string& text) {
    std::ofstream{in_folder(name)} << text;
  }
  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator{folder_}, {});
  }

 private:
  fs::path folder_;
};

TEST_F(WholeFile, IsNewOrTakesTheEarlierOnesPlace) {
  const fs::path path = in_folder("a");
  for (const std::string text : {"first, and longer", "second"}) {
    EXPECT_FALSE(check_writable(path));
    EXPECT_FALSE(write_whole(path, text));
    EXPECT_EQ(text_of(path), text);
  }
  EXPECT_EQ(files(), 1);
}

TEST_F(WholeFile, IsWhatLinksLeadTo) {
  fs::create_directory(in_folder("elsewhere"));
  fs::create_symlink("elsewhere/file", in_folder("link"));  // to nothing as yet
  fs::create_symlink(in_folder("link"), in_folder("link of link"));
  for (const std::string name : {"link", "link of link"}) {
    EXPECT_FALSE(check_writable(in_folder(name)));
    EXPECT_FALSE(write_whole(in_folder(name), name));
    EXPECT_EQ(text_of(in_folder("elsewhere/file")), name);
    EXPECT_FALSE(fs::is_symlink(in_folder("elsewhere/file")));
    EXPECT_TRUE(fs::is_symlink(in_folder(name)));
  }
  EXPECT_EQ(files(), 3);
}

TEST_F(WholeFile, LeadsNowhereInACircle) {
  fs::create_symlink("a", in_folder("b"));
  fs::create_symlink("b", in_folder("a"));
  EXPECT_TRUE(check_writable(in_folder("a")));
  EXPECT_TRUE(write_whole(in_folder("a"), "text"));
  EXPECT_TRUE(fs::is_symlink(in_folder("a")));
}

TEST_F(WholeFile, GoesThroughAPipe) {
  const fs::path path = in_folder("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(check_writable(path)) << "which no reader may notice";
  std::string got;
  std::thread reader{[&] {
    got = text_of(path);
  }};
  EXPECT_FALSE(write_whole(path, "text"));
  reader.join();
  EXPECT_EQ(got, "text");
  EXPECT_TRUE(fs::is_fifo(path));
  EXPECT_EQ(files(), 1);
}

/// Devices of our own: what a fault would break must be nobody else's.
TEST_F(WholeFile, GoesIntoADevice) {
  constexpr unsigned memory = 1, null = 3, full = 7;
  for (const unsigned which : {null, full}) {
    const fs::path path = in_folder(std::to_string(which));
    if (mknod(path.c_str(), S_IFCHR | 0600, makedev(memory, which)) != 0 ||
        (access(path.c_str(), W_OK) != 0)) {
      GTEST_SKIP() << "only the superuser makes devices";
    }
    const int opened = open(path.c_str(), O_WRONLY);
    if (opened < 0) GTEST_SKIP() << "no devices in this folder";
    close(opened);
    EXPECT_FALSE(check_writable(path));
    EXPECT_EQ(write_whole(path, "text"), which == full
                                             ? std::make_error_code(std::errc::no_space_on_device)
                                             : std::error_code{});
    EXPECT_TRUE(fs::is_character_file(path));
  }
  EXPECT_EQ(files(), 2);
}

TEST_F(WholeFile, IsAddedToWhatIsOpen) {
  put("log", "printed, ");
  const int log = open(in_folder("log").c_str(), O_WRONLY);
  fs::create_symlink("/proc/self/fd/" + std::to_string(log), in_folder("out"));
  for (const fs::path& path : {in_folder("out"), fs::read_symlink(in_folder("out"))}) {
    EXPECT_FALSE(check_writable(path));
    EXPECT_FALSE(write_whole(path, "text"));
  }
  close(log);
  EXPECT_EQ(text_of(in_folder("log")), "printed, texttext");
  EXPECT_EQ(files(), 2);
}

TEST_F(WholeFile, OnAFullDiskLeavesTheEarlierOne) {
  put("a", "earlier");
  fs::create_symlink("a", in_folder("link"));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{10, before.rlim_max};
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  for (const auto* name : {"a", "link", "new"}) {
    EXPECT_EQ(write_whole(in_folder(name), "more than the ten bytes there are"),
              std::errc::file_too_large);
  }
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, ignored);
  EXPECT_EQ(text_of(in_folder("a")), "earlier");
  EXPECT_EQ(files(), 2);
}

TEST_F(WholeFile, OfSeveralWritersAtOnceIsTheLastOnes) {
  constexpr int rounds = 200;
  const fs::path path = in_folder("a");
  const std::array<std::string, 2> texts{std::string(20'000, 'a'), std::string(50'000, 'b')};
  std::array<int, 2> failures{};
  std::vector<std::thread> writers;
  for (std::size_t who = 0; who != texts.size(); ++who) {
    writers.emplace_back([&, who] {
      for (int round = 0; round != rounds; ++round) {
        if (check_writable(path) || write_whole(path, texts[who])) ++failures[who];
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(failures, (std::array<int, 2>{}));
  const std::string left = text_of(path);
  EXPECT_TRUE(left == texts[0] || left == texts[1]) << left.size() << " bytes, of both";
  EXPECT_EQ(files(), 1);
}

TEST_F(WholeFile, OfAProcessThatIsInterruptedMeanwhileLeavesNothingBeside) {
  put("a", "earlier");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    interruption = signal;
    const std::string answer = in_a_child([this]() -> std::string {
      const rlimit none{0, 0};  // no core
      const rlimit small{10, 10};
      if (setrlimit(RLIMIT_CORE, &none) != 0 || setrlimit(RLIMIT_FSIZE, &small) != 0) return "free";
      std::signal(SIGXFSZ, [](int) { std::raise(interruption); });  // comes in mid-file
      return write_whole(in_folder("a"), "more than the ten bytes there are").message();
    });
    EXPECT_EQ(answer, "") << "the signal was lost";
    EXPECT_EQ(text_of(in_folder("a")), "earlier");
    EXPECT_EQ(files(), 1);
  }
}

TEST_F(WholeFile, ThatCannotBeSaysWhy) {
  put("file", "");
  for (const auto& [path, why] :
       {std::pair{in_folder("none/a"), std::errc::no_such_file_or_directory},
        std::pair{in_folder("file/a"), std::errc::not_a_directory},
        std::pair{in_folder(""), std::errc::is_a_directory}}) {
    EXPECT_EQ(check_writable(path), why) << path;
    EXPECT_EQ(write_whole(path, "text"), why) << path;
  }
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace harness
