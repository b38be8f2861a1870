// SPDX-License-Identifier: BSL-1.0
// Calls deeper than its first segment reaches: exit status 0 says that split stacks work here.
namespace {

[[gnu::noinline]] int descend(int levels) {
  volatile char own[1024];
  own[0] = 1;
  return levels == 0 ? 0 : descend(levels - 1) + own[0];
}

}  // namespace

int main() {
  return descend(1000) == 1000 ? 0 : 1;
}
