// SPDX-License-Identifier: BSL-1.0
#include "harness/load/measurement.hpp"

#include <algorithm>
#include <optional>

#include "harness/load/backlog.hpp"

namespace harness::load {
namespace {

/// TCP acknowledges the first 16 segments of a connection at once, and again after a pause of 200
/// ms (quick acknowledgements, net/ipv4/tcp_input.c): until then each message costs a fifth more.
/// So a connection is warm after a few messages, and stays so only while its server's turn comes
/// round soon.
constexpr std::uint64_t exchanges_until_warm = 20;
constexpr int patience_with_warming = 5;  // of large messages

/// In a slice each sender is to send a few messages: the first are a burst of our making. But the
/// other server's two slices must not become a pause.
constexpr int messages_a_sender = 3;
constexpr Nanoseconds longest_closed_slice = std::chrono::milliseconds{60};

const Plan& checked(const Plan& plan) {
  preflight(plan);
  return plan;
}

}  // namespace

Measurement::Measurement(Plan plan) : plan_{checked(plan)}, pattern_{plan_.bytes} {
  sides_.push_back(std::make_unique<Side>(plan_, plan_.target, pattern_));
  if (plan_.against) sides_.push_back(std::make_unique<Side>(plan_, *plan_.against, pattern_));
  const bool through_tcp =
      plan_.target.address.tcp() || (plan_.against && plan_.against->address.tcp());
  if (through_tcp) turned_away_ = 0;
}

void Measurement::connect(std::uint64_t connections) {
  const auto before = turned_away_ ? load::turned_away() : std::nullopt;
  for (std::uint64_t part = 1; part <= connections; ++part) {
    for (const auto& side : sides_) side->connect(part);
  }
  const auto after = before ? load::turned_away() : std::nullopt;
  turned_away_ = after ? std::optional{*turned_away_ + (*after - *before)} : std::nullopt;
}

void Measurement::warm_up() {
  if (plan_.warm_up <= Nanoseconds{0}) return;
  const TimePoint start = Clock::now();
  const Nanoseconds shortest = plan_.warm_up * sides_.size();
  const std::uint64_t wanted = exchanges_until_warm * plan_.senders();
  for (bool is_warm = false; !is_warm;) {
    for (const auto& side : sides_) side->warm_up(std::min(plan_.warm_up, Plan::closed_slice));
    const Nanoseconds taken = Clock::now() - start;
    is_warm = taken >= shortest && std::ranges::all_of(sides_, [wanted](const auto& side) {
                return side->warmed_by() >= wanted;
              });
    if (taken >= patience_with_warming * shortest) return;
  }
}

void Measurement::measure() {
  for (const auto& side : sides_) side->check_process();
  if (!plan_.against) {
    sides_.front()->slice(plan_.measure);
    return;
  }
  const TimePoint end = Clock::now() + plan_.measure;
  for (std::size_t rounds = 0; rounds < Plan::least_rounds || Clock::now() < end; ++rounds) round();
}

void Measurement::round() {
  Side& target = *sides_[0];
  Side& other = *sides_[1];
  const Nanoseconds length = slice_length();
  const std::optional<double> costs[] = {target.slice(length), other.slice(length),
                                         other.slice(length), target.slice(length)};
  if (!costs[0] || !costs[1]) return;
  cpu_ratios_.push_back((*costs[0] + *costs[3]) / (*costs[1] + *costs[2]));
}

Nanoseconds Measurement::slice_length() const {
  if (plan_.rate > 0) return std::min(Plan::open_slice, plan_.measure);
  Nanoseconds all_answered_once{};
  for (const auto& side : sides_) {
    all_answered_once =
        std::max(all_answered_once, Nanoseconds{side->warm_interval() * plan_.senders()});
  }
  const Nanoseconds wanted = messages_a_sender * all_answered_once;
  return std::min(std::clamp(wanted, Plan::closed_slice, longest_closed_slice), plan_.measure);
}

void Measurement::disconnect() noexcept {
  for (const auto& side : sides_) side->disconnect();
}

}  // namespace harness::load
