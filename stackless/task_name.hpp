// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>

namespace stackless {

template <class T>
constexpr std::string_view pretty_function() noexcept {
  return __PRETTY_FUNCTION__;
}

/// The compiler's name of a type, without RTTI: what surrounds it is measured with `void`.
template <class T>
constexpr std::string_view type_name() noexcept {
  constexpr std::string_view of_void = pretty_function<void>();
  constexpr std::size_t before = of_void.find("void");
  constexpr std::size_t after = of_void.size() - before - 4;
  std::string_view name = pretty_function<T>();
  name.remove_prefix(before);
  name.remove_suffix(after);
  return name;
}

/// How a task is told from others when it has to be named.
struct TaskName {
  std::string_view future;   ///< the type of its future
  std::string_view spawner;  ///< the type of the factory: for a lambda, where it stands
};

/// Why a watchdog names a task; the worst last.
enum class Stuck : unsigned char {
  no,
  in_silence,  ///< pending where nothing has happened for a whole period and nothing is armed: only
               ///< another thread could still wake it; two that wait for each other look like this
  for_good     ///< pending, and nobody has a waker of it: it will never be polled again
};

struct StuckTask {
  TaskName name;
  Stuck how;
};

template <class F, class Make>
constexpr TaskName task_name() noexcept {
  return {type_name<F>(), type_name<Make>()};
}

}  // namespace stackless
