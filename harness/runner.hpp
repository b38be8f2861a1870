// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cell.hpp"
#include "harness/options.hpp"
#include "harness/process.hpp"
#include "harness/row.hpp"
#include "io/socket.hpp"

namespace harness {

/// What a child says, line by line, with the end of its patience: reads until a deadline, hears
/// interrupts, and refuses lines longer than any honest one.
class LineReader {
 public:
  using Deadline = std::chrono::steady_clock::time_point;
  static constexpr std::size_t longest_line = std::size_t{1} << 22;

  explicit LineReader(int fd) noexcept : fd_{fd} {}

  /// False at the end of the stream. Throws Failure: `timeout: …` naming `expected`,
  /// `interrupted: …`, `failed: …` for a line that never ends.
  bool next(std::string& line, Deadline deadline, std::string_view expected);

 private:
  bool take(std::string& line);

  int fd_;
  std::string buffered_;
  std::size_t searched_ = 0;
};

/// The line between a parent and its subject.
struct PortPair {
  io::Descriptor parent;
  io::Descriptor child;
};

/// The parent's side of one subject: a fresh, pinned process with its own memory cgroup where
/// possible, and the marks protocol. Every member that waits throws Failure, classified:
/// what the subject said (`refused: …`, `wrong: …`), or `crashed:`, `timeout:`, `failed:`,
/// `interrupted:`. The subject is dead and reaped, its cgroup removed, when the object is gone.
class Child {
 public:
  /// Starts this program again for the row, on options.subject_cpu unless `cpus` says otherwise.
  Child(const Cell& cell, const Options& options, std::vector<int> cpus = {});

  /// Waits for `mark STATE n`; returns n. Anything else said instead is a failure.
  std::uint64_t await_mark(std::string_view state);
  /// Waits for the address of a server.
  io::Endpoint await_listening();
  /// Lets the subject go on: one byte.
  void go();
  /// What the subject has said of its failing, or how it died, if it does so within `patience`:
  /// asked when the other end of a pair complains. Results and marks on the way are lost.
  std::optional<Failure> last_words(std::chrono::milliseconds patience);
  /// Collects the results until the subject has ended well.
  Results finish();
  /// The results that came before the mark just awaited; they stay in finish() as well.
  [[nodiscard]] const Results& results() const noexcept { return results_; }

  /// What it has said for the label so far.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

  [[nodiscard]] Process& process() noexcept { return process_; }
  /// What its life cost, after finish().
  [[nodiscard]] const Ending& ending() const noexcept { return ending_; }
  [[nodiscard]] LineReader::Deadline deadline() const noexcept { return deadline_; }

 private:
  /// The rest of the next line that begins with `keyword`; results on the way are kept. A failure
  /// calls what did not come by its `meaning`.
  std::string await(std::string_view keyword, std::string_view meaning);
  /// Keeps a result, throws for a failure the subject speaks of, and for anything else.
  void take_aside(std::string_view line, std::string_view expected);
  void keep_result(std::string_view text);
  [[noreturn]] void fail_with_ending();

  LineReader::Deadline deadline_;
  PortPair pair_;
  Process process_;
  LineReader lines_;
  Results results_;
  std::vector<std::string> notes_;
  Ending ending_;
};

}  // namespace harness
