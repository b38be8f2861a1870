// SPDX-License-Identifier: BSL-1.0
#include "harness/load/subject.hpp"

#include <cerrno>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>
#include <unistd.h>

#include "harness/load/measurement.hpp"
#include "harness/row.hpp"

namespace harness::load {
namespace {

using namespace std::chrono_literals;

void append(Cell& cell, std::string_view key, std::uint64_t value) {
  cell.parameters.emplace_back(key, std::to_string(value));
}

void append(Cell& cell, const std::string& prefix, const Target& target) {
  constexpr std::string_view schemes[] = {"unix:", "tcp:"};
  std::string_view text = target.address.text();
  text.remove_prefix(schemes[target.address.tcp()].size());
  const std::size_t colon = text.rfind(':');
  if (text.find('/') != text.npos) {
    throw Failure{fmt::format("refused: {} cannot be told to a child (only TCP and unix:@NAME)",
                              target.address.text())};
  }
  cell.parameters.emplace_back(prefix + "host", text.substr(0, colon));
  if (target.address.tcp()) cell.parameters.emplace_back(prefix + "port", text.substr(colon + 1));
  append(cell, prefix + "pid", static_cast<std::uint64_t>(target.pid));
}

Target target_of(const Cell& cell, const std::string& prefix) {
  const std::string host = cell.text(prefix + "host");
  const bool named = host.starts_with('@');
  std::error_code error;
  Target target{
      Address::parse(named ? "unix:" + host : "tcp:" + host + ':' + cell.text(prefix + "port"),
                     error),
      static_cast<pid_t>(cell.number(prefix + "pid"))};
  if (error) throw std::invalid_argument{cell.name() + ": no address of a server"};
  return target;
}

std::chrono::nanoseconds milliseconds_of(const Cell& cell, std::string_view key) {
  return std::chrono::milliseconds{cell.number(key)};
}

// A plain blocking read: between its phases the load generator has nothing else to do.
bool await_go(int fd) {
  char byte = 0;
  ssize_t got = 0;
  do {
    got = ::read(fd, &byte, 1);
  } while (got < 0 && errno == EINTR);
  return got == 1;
}

void measure(Measurement& measurement, Port& port, int go) {
  measurement.warm_up();
  port.mark("warm", measurement.plan().connections);
  if (!await_go(go)) return;
  measurement.measure();
  for (const auto& [name, values] : figures(measurement)) port.result(name, values);
  port.mark("measured", measurement.sides().front()->tally().operations);
  await_go(go);
}

void run(Port& port, const Cell& cell) {
  std::error_code error;
  const io::Descriptor go = port.go_descriptor(io::Mode::blocking, error);
  if (error) throw std::system_error{error, "go"};
  Plan plan = plan_of(cell);
  plan.measure = port.measure_for();
  try {
    Measurement measurement{plan};
    const std::uint64_t steps = std::max<std::uint64_t>(cell.number("steps", 1), 1);
    for (std::uint64_t step = 1; step <= steps; ++step) {
      measurement.connect(plan.connections * step / steps);
      port.mark("connected", plan.connections * step / steps);
      if (!await_go(go.get())) return;
    }
    if (cell.number("measure", 1) != 0) measure(measurement, port, go.get());
    measurement.disconnect();
  } catch (const Failure& failure) {
    port.failure(failure.what());
  }
}

}  // namespace

Subject subject() {
  return {"load", "clients", run};
}

Failure of_load_generator(const Failure& failure) {
  const std::string_view text = failure.what();
  const bool is_its_own = text.starts_with("crashed:") || text.starts_with("timeout: waiting for");
  return is_its_own ? Failure{fmt::format("{} (the load generator)", text)} : failure;
}

Cell cell_of(const Plan& plan, std::uint64_t steps) {
  Cell cell{"load", "clients", {}};
  append(cell, "", plan.target);
  if (plan.against) append(cell, "against_", *plan.against);
  append(cell, "connections", plan.connections);
  append(cell, "active", plan.active);
  append(cell, "bytes", plan.bytes);
  append(cell, "rate", static_cast<std::uint64_t>(std::llround(plan.rate)));
  append(cell, "warm_up_ms", static_cast<std::uint64_t>(plan.warm_up / 1ms));
  append(cell, "timeout_ms", static_cast<std::uint64_t>(plan.timeout / 1ms));
  append(cell, "measure", plan.measure > 0ns ? 1 : 0);
  append(cell, "steps", steps);
  return cell;
}

Plan plan_of(const Cell& cell) {
  Plan plan;
  plan.target = target_of(cell, "");
  if (cell.has("against_host")) plan.against = target_of(cell, "against_");
  plan.connections = cell.number("connections", plan.connections);
  plan.active = cell.number("active", plan.active);
  plan.bytes = cell.number("bytes", plan.bytes);
  plan.rate = static_cast<double>(cell.number("rate"));
  plan.warm_up = milliseconds_of(cell, "warm_up_ms");
  plan.timeout = milliseconds_of(cell, "timeout_ms");
  if (const std::string objection = plan.objection(); !objection.empty()) {
    throw std::invalid_argument{objection};
  }
  return plan;
}

}  // namespace harness::load
