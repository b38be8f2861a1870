// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <fmt/format.h>
#include <type_traits>

#include "harness/contenders.hpp"
#include "harness/workloads/compose.hpp"

namespace harness {

namespace {

/// A state that refers to itself once polled: a message, and where to read on. With `Base` empty
/// it can be moved, which is why it is no future.
template <class Base>
class Reader : Base {
 public:
  using Output = char;

  explicit Reader(char letter) noexcept { message_.fill(letter); }

  stackless::Poll<char> poll(stackless::Context&) {
    if (at_ == nullptr) {
      at_ = &message_[1];
      return stackless::pending;
    }
    return *at_;
  }

 private:
  std::array<char, 2> message_;
  const char* at_ = nullptr;  // into message_
};

struct Nothing {};
using Movable = Reader<Nothing>;
using Pinned = Reader<stackless::Immovable>;
static_assert(!stackless::Future<Movable>, "what could be moved after a poll is refused by type");
static_assert(stackless::Future<Pinned>);
static_assert(std::is_trivially_copyable_v<Movable>, "so that moving it is at least defined");

/// Polls it where it was made.
char read_in_place(stackless::Context& context) {
  Pinned reader{'k'};
  (void)reader.poll(context);
  return reader.poll(context).take();
}

/// Moves it between two polls; its old place gets the next one.
char read_after_a_move(stackless::Context& context) {
  std::array readers{Movable{'k'}, Movable{'-'}};
  (void)readers[0].poll(context);
  readers[1] = readers[0];
  readers[0] = Movable{'x'};
  return readers[1].poll(context).take();
}

}  // namespace

void run_place(Port& port, const Cell& cell) {
  constexpr int reads = 1000;
  const bool moved = cell.text("place") == "moved";
  const stackless::Waker nobody;
  stackless::Context context{nobody};
  int stale = 0;
  for (int read = 0; read < reads; ++read) {
    const char letter = moved ? read_after_a_move(context) : read_in_place(context);
    if (letter != 'k' && letter != 'x') return port.failure("wrong: a letter nobody wrote");
    stale += letter == 'x';
  }
  port.result("stale_reads_per_op", static_cast<double>(stale) / reads);
}

}  // namespace harness
