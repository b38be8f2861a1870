// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <sys/socket.h>
#include <vector>

#include "harness/subject.hpp"

/// A port whose parent is the test: what a subject said can be read afterwards.
class PortReader {
 public:
  explicit PortReader(std::chrono::nanoseconds measure_for = std::chrono::milliseconds{50})
      : ends_{open()}, port{ends_[1].get(), measure_for} {}

  /// The lines so far, `failure …` and `mark …` among them.
  std::vector<std::string> lines() {
    std::array<char, 65536> chunk;
    ssize_t got = 0;
    while ((got = ::recv(ends_[0].get(), chunk.data(), chunk.size(), MSG_DONTWAIT)) > 0) {
      said_.append(chunk.data(), static_cast<std::size_t>(got));
    }
    std::vector<std::string> lines;
    std::istringstream text{said_};
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }

  /// Counter to its first value.
  std::map<std::string, double> results() {
    std::map<std::string, double> results;
    for (const std::string& line : lines()) {
      std::istringstream words{line};
      std::string keyword;
      std::string counter;
      double value = 0;
      if (words >> keyword >> counter >> value && keyword == "result") results[counter] = value;
    }
    return results;
  }

  /// The rest of the line that begins with `failure`; empty without one.
  std::string failure() {
    for (const std::string& line : lines()) {
      if (line.starts_with("failure ")) return line.substr(8);
    }
    return {};
  }

 private:
  static std::array<io::Descriptor, 2> open() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    return {io::Descriptor{ends[0]}, io::Descriptor{ends[1]}};
  }

  std::array<io::Descriptor, 2> ends_;
  std::string said_;

 public:
  harness::Port port;
};
