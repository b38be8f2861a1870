// SPDX-License-Identifier: BSL-1.0
// What is composed of the room's own futures is as large as its largest state: shown on composites
// as a server has them. Beside the state there are what the factories capture, and a tag.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>

#include "stackless/backend.hpp"
#include "stackless/combinators.hpp"

namespace stackless {
namespace {

using Buffer = std::array<std::byte, 4096>;

template <class... States>
constexpr std::size_t largest = std::max({sizeof(States)...});
constexpr std::size_t tag = alignof(void*);  // one byte, and what aligns it
constexpr std::size_t capture = sizeof(void*);

using Read = decltype(std::declval<Stream&>().read_some({}));
using Write = decltype(std::declval<Stream&>().write_some({}));
using Accept = decltype(std::declval<Listener&>().accept(std::declval<std::error_code&>()));

/// Reads, then sends back what it got.
auto answer(Stream& stream, Buffer& buffer) {
  return then([&] { return stream.read_some(buffer); },
              [&](io::Transfer got) {
                return stream.write_some({buffer.data(), got.bytes});
              });
}
using Answer = decltype(answer(std::declval<Stream&>(), std::declval<Buffer&>()));
static_assert(sizeof(Answer) <= largest<Read, Write> + tag + 2 * capture);
static_assert(sizeof(Answer) < sizeof(Read) + sizeof(Write) + tag + 2 * capture);

/// A message, a pause, another message.
auto session(Stream& stream, Buffer& buffer, io::TimePoint& until) {
  const auto once = [&] {
    return answer(stream, buffer);
  };
  return sequence(
      once, [&] { return sleep_until(until); }, once);
}
using Session = decltype(session(std::declval<Stream&>(), std::declval<Buffer&>(),
                                 std::declval<io::TimePoint&>()));
static_assert(sizeof(Session) <= largest<Answer, Sleep> + tag + 5 * capture);
static_assert(sizeof(Session) < 2 * sizeof(Answer) + sizeof(Sleep));

/// As long as it lasts, a limit runs beside it: both are alive, so both are in its state.
[[maybe_unused]] auto limited(Stream& stream, Buffer& buffer, io::TimePoint& until,
                              io::TimePoint limit) {
  return timeout(limit, [&] { return session(stream, buffer, until); });
}
using Limited = decltype(limited(std::declval<Stream&>(), std::declval<Buffer&>(),
                                 std::declval<io::TimePoint&>(), {}));
static_assert(sizeof(Limited) <= sizeof(Sleep) + sizeof(Session) + tag);

/// Waits for a client or for the end, whichever comes first, and then for a while.
[[maybe_unused]] auto door(Listener& listener, Event& end, std::error_code& error) {
  return then(
      [&] { return select([&] { return listener.accept(error); }, [&] { return end.wait(); }); },
      [](auto) { return sleep_until(io::TimePoint{}); });
}
using Door = decltype(door(std::declval<Listener&>(), std::declval<Event&>(),
                           std::declval<std::error_code&>()));
static_assert(sizeof(Door) <=
              std::max(sizeof(Accept) + sizeof(Event::Wait) + 2 * tag, sizeof(Sleep)) + tag);

/// Sixteen pauses, one after the other.
template <std::size_t... which>
auto pauses(std::index_sequence<which...>, io::TimePoint& until) {
  return sequence([&until] {
    return static_cast<void>(which), sleep_until(until);
  }...);
}
using Pauses = decltype(pauses(std::make_index_sequence<16>{}, std::declval<io::TimePoint&>()));
static_assert(sizeof(Pauses) <= sizeof(Sleep) + tag + 16 * capture);

TEST(CompositeSize, ATaskIsItsHeaderAndItsLargestState) {
  static_assert(sizeof(DetachedTask<Session>) == sizeof(Task) + sizeof(Session));
  Executor executor;
  io::TimePoint until{};
  ASSERT_FALSE(executor.spawn([&] { return pauses(std::make_index_sequence<16>{}, until); }));
  executor.run();
  EXPECT_EQ(executor.live_tasks(), 0U);
}

}  // namespace
}  // namespace stackless
