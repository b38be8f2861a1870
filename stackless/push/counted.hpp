// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>

namespace stackless::push {

/// Counts who refers to it; gone with the last. A loop is one thread, so the count is plain.
class Counted {
 public:
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  void add_reference() noexcept { ++references_; }
  void release() noexcept {
    if (--references_ == 0) delete this;
  }

 protected:
  Counted() = default;
  virtual ~Counted() = default;

 private:
  unsigned references_ = 1;
};

/// One reference.
template <class T>
class Ref {
 public:
  Ref() = default;
  /// Takes over the reference that a new object is born with.
  explicit Ref(T* adopted) noexcept : object_{adopted} {}
  static Ref share(T& object) noexcept {
    object.add_reference();
    return Ref{&object};
  }
  template <class U>
  Ref(Ref<U>&& other) noexcept : object_{other.leave()} {}
  Ref(Ref&& other) noexcept : object_{other.leave()} {}
  Ref(const Ref& other) noexcept : object_{other.object_} {
    if (object_ != nullptr) object_->add_reference();
  }
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->release();
  }

  [[nodiscard]] explicit operator bool() const noexcept { return object_ != nullptr; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  /// Hands the reference over.
  T* leave() noexcept { return std::exchange(object_, nullptr); }

 private:
  T* object_ = nullptr;
};

}  // namespace stackless::push
