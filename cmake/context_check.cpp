// SPDX-License-Identifier: BSL-1.0
// Links and runs one switch there and back: exit status 0 says that Boost.Context works here.
#include <boost/context/fiber.hpp>

int main() {
  int visits = 0;
  boost::context::fiber there{[&visits](boost::context::fiber&& back) {
    ++visits;
    return std::move(back);
  }};
  there = std::move(there).resume();
  return visits == 1 && !there ? 0 : 1;
}
