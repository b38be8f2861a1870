// SPDX-License-Identifier: BSL-1.0
#include "harness/pair.hpp"

#include <fmt/format.h>
#include <memory>
#include <type_traits>

#include "harness/half_rates.hpp"
#include "harness/interrupt.hpp"
#include "harness/load/subject.hpp"
#include "harness/others.hpp"
#include "harness/pair_row.hpp"
#include "harness/runner.hpp"

namespace harness {

namespace {

using namespace std::chrono_literals;

/// A failure that says whose it is: nobody else needs to be asked.
class Blamed : public Failure {
 public:
  using Failure::Failure;
};

/// A server that this program has started, through the stages of its life
/// (workloads/echo_host.hpp). Whatever goes wrong in one of them is told as its own failure.
class Server {
 public:
  Server(Cell cell, std::string_view contender, const Options& options)
      : is_floor_{contender == floor_server}, child_{named(std::move(cell), contender), options} {
    answering_for_itself([this] { come_up(); });
  }

  [[nodiscard]] const load::Target& target() const noexcept { return target_; }

  [[nodiscard]] const Process& process() noexcept { return child_.process(); }

  void go(std::string_view expected) {
    answering_for_itself([&] {
      child_.go();
      child_.await_mark(expected);
    });
  }
  Results finish() {
    return answering_for_itself([this] {
      child_.go();
      return child_.finish();
    });
  }
  /// Why it has failed, if it has: that is the reason for whatever its client says.
  void blame() {
    if (const auto words = child_.last_words(200ms)) throw blamed(*words);
  }

 private:
  static Cell named(Cell cell, std::string_view contender) {
    cell.contender = contender;
    return cell;
  }

  void come_up() {
    child_.await_mark("idle");
    std::error_code error;
    target_ = {load::Address::parse(child_.await_listening().text(), error),
               child_.process().pid()};
    if (error) throw Failure{"failed: the server listens at no address"};
  }

  template <class Stage>
  std::invoke_result_t<Stage&> answering_for_itself(Stage stage) {
    try {
      return stage();
    } catch (const Failure& failure) {
      if (interrupted()) throw;
      throw blamed(failure);
    }
  }

  /// The row has the contender's name.
  [[nodiscard]] Blamed blamed(const Failure& failure) const {
    return Blamed{is_floor_ ? fmt::format("{} (the floor)", failure.what()) : failure.what()};
  }

  bool is_floor_;
  Child child_;
  load::Target target_;
};

using Servers = std::vector<std::unique_ptr<Server>>;

void go(const Servers& servers, std::string_view expected) {
  for (const auto& server : servers) server->go(expected);
}

/// Who else runs where a pair runs. A foreign server runs wherever it likes: then only the load
/// generator's CPU is looked at.
Others others_of(const load::Plan& plan, const Servers& servers, Child& clients,
                 const Options& options) {
  const bool foreign = plan.against && servers.size() == 1;
  if (foreign) return Others{{options.load_cpu}, {&clients.process()}};
  std::vector<const Process*> ours{&clients.process()};
  for (const auto& server : servers) ours.push_back(&server->process());
  return Others{{options.load_cpu, options.subject_cpu}, std::move(ours)};
}

/// Plays the whole piece: connect, warm up, measure, part.
Results play(const load::Plan& plan, const Servers& servers, const Options& options) {
  Child clients{load::cell_of(plan), options, {options.load_cpu}};
  clients.await_mark("connected");
  clients.go();
  clients.await_mark("warm");
  go(servers, "measuring");
  const Others others = others_of(plan, servers, clients, options);
  clients.go();
  clients.await_mark("measured");
  const auto others_share = others.share();
  go(servers, "measured");
  clients.go();
  Results results = clients.finish();
  if (others_share) results["others_cpu_share"] = {*others_share};
  return results;
}

Results play_or_blame(const load::Plan& plan, const Servers& servers, const Options& options) {
  try {
    return play(plan, servers, options);
  } catch (const Blamed&) {
    throw;
  } catch (const Failure& failure) {
    if (interrupted()) throw;
    for (const auto& server : servers) server->blame();
    throw load::of_load_generator(failure);
  }
}

load::Plan plan_of(const Cell& cell, const Options& options) {
  load::Plan plan;
  plan.connections = cell.number("connections", plan.connections);
  plan.active = cell.number("active", 0);
  plan.bytes = cell.number("bytes", plan.bytes);
  plan.measure = options.measure_for;
  if (const std::string objection = plan.objection(); !objection.empty()) {
    throw Failure{"refused: " + objection};
  }
  return plan;
}

/// Half of what the floor and this client reach together in closed loop on such connections,: on
/// two CPUs the client is the limit of that as often as the floor. What they reach while others
/// have their CPUs is not for further calls.
double half_of_both(const Cell& cell, const Options& options) {
  static HalfRates known{options.setting("half-rates")};
  load::Plan plan = plan_of(cell, options);
  const std::string shape = fmt::format("{}-{}-{}-{}", cell.text("transport"), plan.connections,
                                        plan.senders(), plan.bytes);
  if (const auto found = known.find(shape)) return *found;
  Options briefly = options;
  briefly.measure_for = 1s;
  Servers servers;
  servers.push_back(std::make_unique<Server>(cell, floor_server, briefly));
  plan.target = servers.front()->target();
  const Results results = play_or_blame(plan, servers, briefly);
  servers.front()->finish();
  const double rate = half_of(results.at("ops_per_s").front());
  const auto others = results.find("others_cpu_share");
  known.keep(shape, rate, others == results.end() || others->second.front() <= most_others);
  return rate;
}

double rate_of(const Cell& cell, const Options& options) {
  if (cell.text("rate") == "half") return half_of_both(cell, options);
  return static_cast<double>(cell.number("rate", 0));
}

}  // namespace

Row measure_pair(const Cell& cell, const Options& options) {
  load::Plan plan = plan_of(cell, options);
  plan.rate = rate_of(cell, options);
  Servers servers;
  servers.push_back(std::make_unique<Server>(cell, cell.contender, options));
  servers.push_back(std::make_unique<Server>(cell, floor_server, options));
  plan.target = servers[0]->target();
  plan.against = servers[1]->target();
  PairFigures figures{.clients = play_or_blame(plan, servers, options),
                      .server = {},
                      .floor = {},
                      .one_cpu = options.load_cpu == options.subject_cpu};
  figures.server = servers[0]->finish();
  figures.floor = servers[1]->finish();
  keep_histograms(latencies_of(figures), cell, options);
  return pair_row(figures, plan);
}

Row measure_pair(const Cell& cell, const Options& options, const load::Target& foreign) {
  load::Plan plan = plan_of(cell, options);
  plan.rate = rate_of(cell, options);
  Servers servers;
  servers.push_back(std::make_unique<Server>(cell, floor_server, options));
  plan.target = foreign;
  plan.against = servers[0]->target();
  PairFigures figures{.clients = play_or_blame(plan, servers, options),
                      .server = {},
                      .floor = {},
                      .one_cpu = options.load_cpu == options.subject_cpu};
  figures.floor = servers[0]->finish();
  keep_histograms(latencies_of(figures), cell, options);
  return pair_row(figures, plan);
}

}  // namespace harness
