// SPDX-License-Identifier: BSL-1.0
#include "harness/workloads/memory.hpp"

#include <chrono>
#include <system_error>
#include <thread>

#include "harness/interrupt.hpp"
#include "harness/load/server_clock.hpp"
#include "harness/load/subject.hpp"
#include "harness/photograph.hpp"
#include "harness/programs/programs.hpp"

namespace harness {

namespace {

using namespace std::chrono_literals;

constexpr int quarters = 4;
constexpr auto watched_for = 300ms;

/// All contenders at a number that threads reach, and each at its own order of magnitude.
std::vector<std::string> default_tasks(std::string_view state, std::string_view contender) {
  if (state == "connected") return {"1000", "10000"};
  if (contender == "threads" || contender == "floor-timer") return {"10000"};
  if (contender.ends_with("fibers") || contender == "floor-page") return {"10000", "100000"};
  return {"10000", "1000000"};
}

/// What the floors wait for.
bool belongs_to(std::string_view contender, std::string_view state) {
  if (contender == "floor-socket") return state == "connected";
  return !contender.starts_with("floor-") || state == "sleeping";
}

/// The values given for a parameter, or one that says "leave it out of the name".
std::vector<std::string> or_absent(const std::vector<std::string>& values) {
  return values.empty() ? std::vector<std::string>{""} : values;
}

Cell with_if(const Cell& cell, std::string_view key, const std::string& value) {
  return value.empty() ? cell : cell.with(key, value);
}

/// With every stack and guard that was asked for.
void add_variants(std::vector<Cell>& cells, const Cell& plain, const Options& options) {
  for (const auto& stack : or_absent(options.list("stack"))) {
    for (const auto& guard : or_absent(options.list("guard"))) {
      cells.push_back(with_if(with_if(plain, "stack", stack), "guard", guard));
    }
  }
}

std::vector<Cell> cells(const Options& options) {
  std::vector<Cell> cells;
  for (const auto& state : options.list("state")) {
    for (const auto& subject : memory_subjects()) {
      const std::string_view contender = subject.contender;
      if (!belongs_to(contender, state)) continue;
      const bool bare = contender == "floor-socket" || contender == "floor-timer";
      const Cell plain{"memory", std::string{contender}, {{"state", state}}};
      const auto& given = options.list("tasks");
      for (const auto& tasks : given.empty() ? default_tasks(state, contender) : given) {
        bare ? cells.push_back(plain.with("tasks", tasks))
             : add_variants(cells, plain.with("tasks", tasks), options);
      }
    }
  }
  return cells;
}

/// The subject makes its tasks itself, a quarter at each *go*.
void park_sleepers(Ledger& ledger, Child& child) {
  for (int quarter = 0; quarter < quarters; ++quarter) {
    child.go();
    photograph(ledger, child, "parked");
  }
  child.go();
}

/// The share of one CPU that the subject uses while all of its tasks wait.
double idle_cpu_share(Child& child) {
  const load::ServerClock clock{child.process().pid()};
  const auto used_before = clock.at_rest();
  const auto began = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(watched_for);
  const std::chrono::duration<double> used = clock.now() - used_before;
  return used / std::chrono::duration<double>{std::chrono::steady_clock::now() - began};
}

/// Returns the idle CPU share of all connections.
double walk_in(Ledger& ledger, Child& child, const load::Plan& plan, const Options& options) {
  Child clients{load::cell_of(plan, quarters), options, {options.load_cpu}};
  double idle_share = 0;
  for (int quarter = 0; quarter < quarters; ++quarter) {
    clients.await_mark("connected");
    photograph(ledger, child, "parked");
    if (quarter == quarters - 1) idle_share = idle_cpu_share(child);
    clients.go();
  }
  clients.finish();
  return idle_share;
}

/// The subject makes a task for each client that comes. When it has failed, that is the reason for
/// whatever its clients say.
double park_connections(Ledger& ledger, Child& child, std::uint64_t connections,
                        const Options& options) {
  load::Plan plan;
  std::error_code error;
  plan.target = {load::Address::parse(child.await_listening().text(), error), 0};
  if (error) throw std::system_error{error, "the subject's address"};
  plan.connections = connections;
  plan.measure = {};
  load::preflight(plan);
  try {
    return walk_in(ledger, child, plan, options);
  } catch (const Failure& failure) {
    if (interrupted()) throw;
    if (const auto words = child.last_words(200ms)) throw *words;
    throw load::of_load_generator(failure);
  }
}

Row measure(const Cell& cell, const Options& options) {
  Child child{cell, options};
  const bool connected = cell.text("state") == "connected";
  Ledger ledger{connected ? 2U : 1U};  // the clients' CPU delivers what they send
  Row row;
  photograph(ledger, child, "idle");
  if (connected) {
    const double idle_share = park_connections(ledger, child, cell.number("tasks"), options);
    row.set("idle_cpu_share", idle_share);
  } else {
    park_sleepers(ledger, child);
  }
  auto results = child.finish();
  ledger.post(row, results["own_stacks"] == std::vector{1.0});
  for (const auto* counter : {"create_ns_per_task", "high_water_bytes", "headroom_bytes"}) {
    row.set_batches(counter, results[counter]);
  }
  for (const auto& note : child.notes()) row.note(note);
  return row;
}

std::vector<Subject> subjects() {
  auto subjects = memory_subjects();
  subjects.push_back(load::subject());
  return subjects;
}

}  // namespace

Program memory_program() {
  return {
      .name = "bench-memory",
      .summary = "What a waiting task occupies, by kind of memory, and what making it takes.",
      .parameters =
          {{.key = "state",
            .defaults = {"sleeping", "connected"},
            .words = {"sleeping", "connected"},
            .help = "what the tasks wait for"},
           {.key = "tasks",
            .minimum = 4,
            .maximum = 100'000'000,
            .help =
                "tasks at the last mark (default: 10000; fibers 100000 and futures 1000000, too)"},
           {.key = "stack",
            .minimum = 16'384,
            .maximum = std::uint64_t{1} << 30,
            .help = "bytes of each stack, for contenders that have stacks"},
           {.key = "guard",
            .words = {"none", "mprotect", "madvise"},
            .help = "what lies beneath each stack"}},
      .questions = {{"memory", "user_bytes_per_task", &cells, &measure, {"state", "tasks"}}},
      .subjects = subjects(),
  };
}

}  // namespace harness
