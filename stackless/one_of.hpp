// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <new>
#include <tuple>
#include <utility>

namespace stackless {

/// Room for one of several objects at a time, each built in place from a factory: the states of a
/// state machine. As large as the largest, and a byte. The objects need not be movable, nor
/// different types: they are told apart by their number. Freestanding.
template <class... Ts>
class OneOf {
 public:
  template <std::size_t I>
  using At = std::tuple_element_t<I, std::tuple<Ts...>>;

  OneOf() noexcept {}
  /// Begins with what `make` returns, as the first kind.
  template <class Make>
  explicit OneOf(Make& make) {
    emplace<0>(make);
  }
  ~OneOf() { reset(); }
  OneOf(const OneOf&) = delete;
  OneOf& operator=(const OneOf&) = delete;

  /// Destroys what is there, then builds what `make` returns. Empty if that throws.
  template <std::size_t I, class Make>
  At<I>& emplace(Make&& make) {
    reset();
    At<I>* const made = ::new (static_cast<void*>(room_)) At<I>(std::forward<Make>(make)());
    index_ = I;
    return *made;
  }
  template <std::size_t I>
  [[nodiscard]] bool holds() const noexcept {
    return index_ == I;
  }
  [[nodiscard]] bool empty() const noexcept { return index_ == none; }
  /// Only for what it holds.
  template <std::size_t I>
  [[nodiscard]] At<I>& get() noexcept {
    return *std::launder(reinterpret_cast<At<I>*>(room_));
  }
  void reset() noexcept { reset_each(std::index_sequence_for<Ts...>{}); }

 private:
  static constexpr unsigned char none = 255;
  static_assert(sizeof...(Ts) < none);

  template <std::size_t... Is>
  void reset_each(std::index_sequence<Is...>) noexcept {
    const unsigned char held = std::exchange(index_, none);
    ((held == Is ? destroy(get<Is>()) : void()), ...);
  }
  template <class T>
  static void destroy(T& object) noexcept {
    object.~T();
  }
  static constexpr std::size_t largest() noexcept {
    std::size_t bytes = 1;
    ((bytes = sizeof(Ts) > bytes ? sizeof(Ts) : bytes), ...);
    return bytes;
  }

  alignas(Ts...) std::byte room_[largest()];
  unsigned char index_ = none;
};

}  // namespace stackless
