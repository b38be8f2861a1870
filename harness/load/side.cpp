// SPDX-License-Identifier: BSL-1.0
#include "harness/load/side.hpp"

#include <fmt/format.h>

#include "harness/load/ramp.hpp"
#include "harness/proc_files.hpp"
#include "harness/row.hpp"

namespace harness::load {

Side::Side(const Plan& plan, const Target& target, const Pattern& pattern)
    : plan_{plan}, target_{target}, crowd_{pattern, plan.connections, plan.timeout} {
  if (target.pid == 0) return;
  clock_.emplace(target.pid);
  server_cpu_.emplace();
}

void Side::connect(std::uint64_t connections) {
  Ramp{crowd_, plan_, target_}.up_to(connections);
}

void Side::warm_up(Nanoseconds length) {
  Tally forgotten;
  ClosedLoop{crowd_, plan_.senders()}.run(length, forgotten);
  check(forgotten.operations);
  warmed_by_ += forgotten.operations;
  warmed_for_ += forgotten.elapsed;
}

void Side::check_process() const {
  if (!clock_) return;
  const auto sockets = sockets_of(target_.pid);
  if (!sockets || *sockets >= crowd_.open()) return;  // another user's may be hidden from us
  throw Failure{
      fmt::format("failed: process {} holds {} sockets, not the {} connections to {}: "
                  "give the one that serves",
                  target_.pid, *sockets, crowd_.open(), target_.address.text())};
}

std::optional<double> Side::slice(Nanoseconds length) {
  const Nanoseconds own_before = useful_cpu_time();
  try {
    const std::optional<double> cost = cost_of_slice(length);
    own_cpu_ += useful_cpu_time() - own_before;
    return cost;
  } catch (const Failure&) {
    own_cpu_ += useful_cpu_time() - own_before;
    server_cpu_.reset();  // it would miss this slice, whose operations are kept
    throw;
  }
}

std::optional<double> Side::cost_of_slice(Nanoseconds length) {
  const std::uint64_t operations_before = tally_.operations;
  const Nanoseconds cpu_before = clock_ ? clock_->now() : Nanoseconds{0};
  if (server_cpu_ && server_cpu_->count() == 0) cpu_at_start_ = cpu_before;
  drive(length, tally_);
  const Nanoseconds cpu_after = clock_ ? clock_->at_rest() : Nanoseconds{0};
  const Nanoseconds cpu = cpu_after - cpu_before;
  const std::uint64_t operations = tally_.operations - operations_before;
  check(operations);
  if (!clock_) return std::nullopt;
  if (cpu <= Nanoseconds{0}) {
    throw Failure{fmt::format("failed: {} answers without process {}: give the one that serves",
                              target_.address.text(), target_.pid)};
  }
  if (server_cpu_) *server_cpu_ += cpu;
  cpu_at_end_ = cpu_after;
  return static_cast<double>(cpu.count()) / static_cast<double>(operations);
}

double Side::own_cpu_share() const noexcept {
  return static_cast<double>(own_cpu_.count()) / static_cast<double>(tally_.elapsed.count());
}

std::optional<double> Side::cpu_between_slices() const {
  const Nanoseconds in_all = cpu_at_end_ - cpu_at_start_;
  if (!server_cpu_ || in_all <= Nanoseconds{0}) return std::nullopt;
  return 1 - static_cast<double>(server_cpu_->count()) / static_cast<double>(in_all.count());
}

Nanoseconds Side::useful_cpu_time() const {
  return own_cpu_time() - tally_.polled_in_vain;
}

void Side::drive(Nanoseconds length, Tally& tally) {
  if (plan_.rate > 0) {
    OpenLoop{crowd_, plan_.senders(), plan_.rate, plan_.drain_of(length)}.run(length, tally);
  } else {
    ClosedLoop{crowd_, plan_.senders()}.run(length, tally);
  }
}

void Side::check(std::uint64_t operations) const {
  const Errors& errors = crowd_.errors();
  if (errors[ErrorKind::corrupt] > 0) {
    throw Failure{fmt::format("wrong: {} answers of {} were not what was sent ({})",
                              errors[ErrorKind::corrupt], target_.address.text(), errors.text())};
  }
  if (operations > 0 && crowd_.open() > 0) return;
  const bool silent = errors[ErrorKind::timeout] == errors.total();
  throw Failure{fmt::format("{}: {} answers no more (errors: {})", silent ? "timeout" : "failed",
                            target_.address.text(), errors.text())};
}

}  // namespace harness::load
