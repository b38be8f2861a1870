// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>

#include "stackless/future.hpp"

namespace stackless {

/// Calls a callable when it goes out of scope: as a local of a coroutine or a member of a future,
/// at the end or wherever it is dropped. Several go in the reverse order of their making.
/// Freestanding.
template <class Cleanup>
class ScopeGuard {
 public:
  explicit ScopeGuard(Cleanup cleanup) : cleanup_{std::move(cleanup)} {}
  ~ScopeGuard() { cleanup_(); }
  ScopeGuard(const ScopeGuard&) = delete;
  ScopeGuard& operator=(const ScopeGuard&) = delete;

 private:
  [[no_unique_address]] Cleanup cleanup_;
};

/// A future and what is to be done once it is gone, whether by its end or dropped before.
template <Future F, class Cleanup>
class Finally {
 public:
  using Output = OutputOf<F>;

  template <class Make>
  Finally(Make& make, Cleanup cleanup) : guard_{std::move(cleanup)}, future_(make()) {}
  Finally(const Finally&) = delete;
  Finally& operator=(const Finally&) = delete;
  Poll<Output> poll(Context& context) { return future_.poll(context); }

 private:
  [[no_unique_address]] ScopeGuard<Cleanup> guard_;
  F future_;  // goes first
};

/// `finally([&] { return serve(stream); }, [&] { --active; })`. Freestanding.
template <FutureFactory Make, class Cleanup>
[[nodiscard]] Finally<FutureOf<Make>, Cleanup> finally(Make&& make, Cleanup cleanup) {
  return {make, std::move(cleanup)};
}

}  // namespace stackless
