// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <vector>

#include "harness/histogram.hpp"
#include "harness/load/crowd.hpp"

namespace harness::load {

/// What driving a server for a while has yielded. Adds up over slices.
struct Tally {
  std::uint64_t operations = 0;  ///< right answers
  std::uint64_t planned = 0;     ///< open loop: messages of the schedule, as far as it was kept
  Nanoseconds scheduled{};       ///< and the time it gave for them
  Nanoseconds elapsed{};         ///< until the last answer of a slice, and the end of its schedule
  Nanoseconds polled_in_vain{};  ///< own CPU time spent only on being punctual
  /// ns, from the intended time of sending. A message that is never answered, sent or not, counts
  /// with its age when it is given up; but for one that an error cut off (a reset, an early end, a
  /// wrong answer): that is counted as the error.
  Histogram latency;
  Histogram lag;  ///< ns, how late our own sending was while the connection was free
};

/// Every sender sends its next message when the last is answered (closed loop): latency is from the
/// sending, and says nothing about what users with a schedule of their own would see. The messages
/// that all senders begin with at once are operations, but no latencies: that crowd is our making.
class ClosedLoop final : private Crowd::Driver {
 public:
  /// `senders` of the crowd's connections are used, evenly spread.
  ClosedLoop(Crowd& crowd, std::uint64_t senders) : crowd_{crowd}, senders_{senders} {}

  /// Sends for `length`, then waits for the last answers.
  void run(Nanoseconds length, Tally& tally);

 private:
  void answered(Connection& connection, TimePoint now) override;
  void broken(Connection& connection) override;

  Crowd& crowd_;
  std::uint64_t senders_;
  Tally* tally_ = nullptr;
  TimePoint settled_{};  // when all had begun
  TimePoint end_{};
};

/// Messages are due at a constant rate whatever the server does (open loop), dealt to the senders
/// in turn; one whose last message is unanswered sends late, and latency counts from when it was
/// due. A rate that is too high ends in good time all the same.
class OpenLoop final : private Crowd::Driver {
 public:
  OpenLoop(Crowd& crowd, std::uint64_t senders, double rate, Nanoseconds drain);

  /// Keeps to the schedule for `length`, or as long as the rate needs for whole messages, then
  /// waits for the answers; what has not been sent `drain` after the end never is.
  void run(Nanoseconds length, Tally& tally);

 private:
  /// At the end of a slice, be it by an interruption.
  struct Settlement {
    OpenLoop& of;
    ~Settlement() { of.settle(); }
  };

  void answered(Connection& connection, TimePoint now) override;
  void broken(Connection& connection) override;

  [[nodiscard]] TimePoint due(std::uint64_t message) const;
  void send_what_is_due();
  void wait_for_answers_or_the_next();
  void send(std::uint64_t sender, Connection& connection, TimePoint now);
  void settle();

  Crowd& crowd_;
  double interval_ns_;
  Nanoseconds drain_;
  std::vector<std::uint32_t> connection_of_;  // sender -> index in the crowd
  std::vector<std::uint32_t> sender_of_;      // and back
  std::vector<std::uint64_t> next_of_;        // sender -> its first message not yet sent
  Tally* tally_ = nullptr;
  TimePoint start_{};
  std::uint64_t planned_ = 0;
  std::uint64_t scheduled_ = 0;  // messages that have become due
  bool giving_up_ = false;
};

}  // namespace harness::load
