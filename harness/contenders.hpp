// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>
#include <tuple>
#include <vector>

#include "harness/concepts.hpp"
#include "harness/subject.hpp"
#include "stackful/backend.hpp"
#include "stackful/boost_fiber/backend.hpp"
#include "stackless/backend.hpp"
#include "stackless/push/backend.hpp"
#include "threads/backend.hpp"

namespace harness {

struct Threads {
  using Backend = threads::Backend;
  static constexpr Dialect dialect = Dialect::direct;
  static constexpr std::string_view name = "threads";
};
struct Fibers {
  using Backend = stackful::Backend;
  static constexpr Dialect dialect = Dialect::direct;
  static constexpr std::string_view name = "fibers";
};
struct BoostFibers {
  using Backend = stackful::boost_fiber::Backend;
  static constexpr Dialect dialect = Dialect::direct;
  static constexpr std::string_view name = "boost-fibers";
};
struct Futures {
  using Backend = stackless::Backend;
  static constexpr Dialect dialect = Dialect::future;
  static constexpr std::string_view name = "futures";
};
struct Coroutines {
  using Backend = stackless::Backend;
  static constexpr Dialect dialect = Dialect::coroutine;
  static constexpr std::string_view name = "coroutines";
};

/// The push model, for contrast: only where a claim asks for push against pull.
struct Callbacks {
  using Backend = stackless::push::Backend;
  static constexpr Dialect dialect = Dialect::callback;
  static constexpr std::string_view name = "callbacks";
};

/// Has the verbs that its dialect's bodies call.
template <class C>
concept Contender = std::convertible_to<decltype(C::name), std::string_view> &&
    ((C::dialect == Dialect::direct && DirectBackend<typename C::Backend>) ||
     (C::dialect != Dialect::direct && PollBackend<typename C::Backend>));

template <Contender... C>
using ListOf = std::tuple<C...>;

/// The only list: whoever joins here joins every workload, and has to be able to.
using Contenders = ListOf<Threads, Fibers, BoostFibers, Futures, Coroutines>;

/// Those whose tasks are made of smaller ones by the library, not by the compiler's call stack.
using Composers = std::tuple<Futures, Coroutines, Callbacks>;

/// `visit.template operator()<C>()` for each contender of a list in turn.
template <class List = Contenders, class Visitor>
void for_each_contender(Visitor&& visit) {
  [&]<class... C>(std::tuple<C...>*) {
    (visit.template operator()<C>(), ...);
  }(static_cast<List*>(nullptr));
}

/// The same for the one of this name; false when there is none.
template <class List = Contenders, class Visitor>
bool with_contender(std::string_view name, Visitor&& visit) {
  bool found = false;
  for_each_contender<List>([&]<class C>() {
    if (C::name != name) return;
    found = true;
    visit.template operator()<C>();
  });
  return found;
}

/// What a child can be asked to run for a question: `run_of.template operator()<C>()` for each
/// contender in turn.
template <class RunOf>
std::vector<Subject> subjects_of(std::string_view question, RunOf&& run_of) {
  std::vector<Subject> subjects;
  for_each_contender([&]<class C>() {
    subjects.push_back({question, C::name, run_of.template operator()<C>()});
  });
  return subjects;
}

/// Their names, in the order of the list.
inline std::vector<std::string> contender_names() {
  std::vector<std::string> names;
  for_each_contender([&names]<class C>() { names.emplace_back(C::name); });
  return names;
}

}  // namespace harness
