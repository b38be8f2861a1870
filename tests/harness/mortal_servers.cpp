// SPDX-License-Identifier: BSL-1.0
#include "tests/harness/mortal_servers.hpp"

#include <csignal>
#include <string_view>

#include "harness/floors/epoll_echo.hpp"
#include "harness/load/subject.hpp"

namespace harness {

namespace {

void die_if_it_is_time(Port& port, const Cell& cell, std::string_view stage) {
  if (cell.text("dies") != cell.contender || cell.text("at") != stage) return;
  if (cell.text("how") == "refused") port.give_up("refused: pid_max reached=1 limit=1");
  (void)raise(SIGKILL);
}

void serve(Port& port, const Cell& cell) {
  die_if_it_is_time(port, cell, "start");
  if (cell.text("dies") == cell.contender && cell.text("at") == "idle") port.mark("idle", 0);
  die_if_it_is_time(port, cell, "idle");
  floors::epoll_echo().run(port, cell);
  die_if_it_is_time(port, cell, "end");
}

}  // namespace

std::vector<Subject> mortal_servers() {
  return {{"echo", "mortal", &serve}, {"echo", "floor-epoll", &serve}, load::subject()};
}

}  // namespace harness
