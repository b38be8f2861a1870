// SPDX-License-Identifier: BSL-1.0
#include "harness/load/loops.hpp"

#include <algorithm>
#include <cmath>

#include "harness/load/server_clock.hpp"

namespace harness::load {
namespace {

using namespace std::chrono_literals;

// A sleep may end so late, on a virtual machine above all: the rest of the way is polled.
constexpr Nanoseconds oversleep = 80us;

std::uint32_t spread(std::uint64_t sender, std::uint64_t senders, std::size_t connections) {
  return static_cast<std::uint32_t>(sender * connections / senders);
}

std::uint64_t since(TimePoint start, TimePoint now) {
  return static_cast<std::uint64_t>(std::max((now - start).count(), std::int64_t{0}));
}

// A time-out is a latency of at least its age; leaving it out would hide the worst.
void record_if_given_up(const Connection& connection, Tally& tally) {
  if (connection.error() != ErrorKind::timeout) return;
  tally.latency.record(since(connection.intended(), Clock::now()));
}

// Adds the time until it goes out of scope, be it by an interruption.
class Stopwatch {
 public:
  explicit Stopwatch(Nanoseconds& sum) : sum_{sum} {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { sum_ += Clock::now() - start_; }

 private:
  Nanoseconds& sum_;
  TimePoint start_ = Clock::now();
};

}  // namespace

void ClosedLoop::run(Nanoseconds length, Tally& tally) {
  tally_ = &tally;
  const Stopwatch stopwatch{tally.elapsed};
  end_ = Clock::now() + length;
  settled_ = TimePoint::max();
  for (std::uint64_t sender = 0; sender < senders_; ++sender) {
    Connection& connection = crowd_[spread(sender, senders_, crowd_.size())];
    const TimePoint now = Clock::now();
    if (connection.open()) crowd_.begin(connection, now, now, *this);
  }
  settled_ = Clock::now();
  while (crowd_.busy() > 0) crowd_.turn(1s, *this);
}

void ClosedLoop::answered(Connection& connection, TimePoint now) {
  if (connection.intended() > settled_) tally_->latency.record(since(connection.intended(), now));
  ++tally_->operations;
  if (now < end_) crowd_.begin(connection, now, now, *this);
}

void ClosedLoop::broken(Connection& connection) {
  record_if_given_up(connection, *tally_);
}

OpenLoop::OpenLoop(Crowd& crowd, std::uint64_t senders, double rate, Nanoseconds drain)
    : crowd_{crowd},
      interval_ns_{1e9 / rate},
      drain_{drain},
      connection_of_(senders),
      sender_of_(crowd.size()),
      next_of_(senders) {
  for (std::uint64_t sender = 0; sender < senders; ++sender) {
    connection_of_[sender] = spread(sender, senders, crowd.size());
    sender_of_[connection_of_[sender]] = static_cast<std::uint32_t>(sender);
  }
}

void OpenLoop::run(Nanoseconds length, Tally& tally) {
  tally_ = &tally;
  const Stopwatch stopwatch{tally.elapsed};
  start_ = Clock::now();
  scheduled_ = 0;
  giving_up_ = false;
  planned_ =
      static_cast<std::uint64_t>(std::ceil(static_cast<double>(length.count()) / interval_ns_));
  for (std::uint64_t sender = 0; sender < next_of_.size(); ++sender) next_of_[sender] = sender;
  const TimePoint end = due(planned_);
  tally.scheduled += end - start_;
  const Settlement settlement{*this};
  while ((scheduled_ < planned_ || crowd_.busy() > 0 || Clock::now() < end) && crowd_.open() > 0) {
    send_what_is_due();
    wait_for_answers_or_the_next();
  }
  tally.planned += planned_ - scheduled_;  // with nobody left to send them
}

TimePoint OpenLoop::due(std::uint64_t message) const {
  return start_ + Nanoseconds{std::llround(static_cast<double>(message) * interval_ns_)};
}

void OpenLoop::send_what_is_due() {
  TimePoint now = Clock::now();
  if (now > due(planned_) + drain_) {
    giving_up_ = true;
    scheduled_ = planned_;
  }
  for (; scheduled_ < planned_ && due(scheduled_) <= now; ++scheduled_) {
    const std::uint64_t sender = scheduled_ % next_of_.size();
    Connection& connection = crowd_[connection_of_[sender]];
    if (!connection.open() || connection.busy()) continue;  // its answer will send it
    tally_->lag.record(since(due(scheduled_), now));
    send(sender, connection, now);
    now = Clock::now();
  }
}

void OpenLoop::wait_for_answers_or_the_next() {
  if (scheduled_ == planned_) {
    const Nanoseconds left = due(planned_) - Clock::now();
    crowd_.turn(left > 0ns ? left : 1s, *this);
    return;
  }
  const Nanoseconds ahead = due(scheduled_) - Clock::now();
  if (ahead > oversleep) {
    crowd_.turn(ahead - oversleep, *this);
    return;
  }
  const Nanoseconds before = own_cpu_time();
  if (!crowd_.turn(0ns, *this)) tally_->polled_in_vain += own_cpu_time() - before;
}

void OpenLoop::answered(Connection& connection, TimePoint now) {
  tally_->latency.record(since(connection.intended(), now));
  ++tally_->operations;
  const std::uint64_t sender = sender_of_[connection.index()];
  if (next_of_[sender] < scheduled_ && !giving_up_) send(sender, connection, now);
}

void OpenLoop::broken(Connection& connection) {
  record_if_given_up(connection, *tally_);
}

void OpenLoop::send(std::uint64_t sender, Connection& connection, TimePoint now) {
  const TimePoint intended = due(next_of_[sender]);
  next_of_[sender] += next_of_.size();
  crowd_.begin(connection, intended, now, *this);
}

// Who stands behind the messages that were never sent has waited until now and has got nothing:
// without them only the quick would be counted.
void OpenLoop::settle() {
  tally_->planned += scheduled_;
  const TimePoint now = Clock::now();
  for (std::uint64_t message : next_of_) {
    for (; message < scheduled_; message += next_of_.size()) {
      tally_->latency.record(since(due(message), now));
    }
  }
}

}  // namespace harness::load
