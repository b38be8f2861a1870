// SPDX-License-Identifier: BSL-1.0
#include <gtest/gtest.h>
#include <string>

#include "tests/harness/in_a_child.hpp"
#include "tests/harness/load/carried_out.hpp"

namespace harness::load::test {
namespace {

TEST(Ports, ThatRunOutAreARefusal) {
  const auto answer = in_a_child([] {
    if (!enter_own_network()) return std::string{no_own_network};
    const HostileServer server{echo(64)};
    // From now on one is left of ten.
    write_setting("/proc/sys/net/ipv4/ip_local_port_range", "40000 40009");
    write_setting("/proc/sys/net/ipv4/ip_local_reserved_ports", "40001-40009");
    Plan plan = plan_for(server);
    plan.connections = 3;
    return last_word(plan);
  });
  if (answer == no_own_network) GTEST_SKIP() << answer;
  EXPECT_EQ(answer, "refused: ip_local_port_range reached=1 limit=10");
}

}  // namespace
}  // namespace harness::load::test
