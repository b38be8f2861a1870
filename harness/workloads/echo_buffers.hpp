// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace harness {

using EchoBuffer = std::array<std::byte, 4096>;

/// The buffers of one worker, lent to whichever of its tasks has something to read. Grows to as
/// many as were ever out at once.
class BufferPool {
 public:
  std::unique_ptr<EchoBuffer> take() {
    if (free_.empty()) return std::make_unique_for_overwrite<EchoBuffer>();
    auto buffer = std::move(free_.back());
    free_.pop_back();
    return buffer;
  }
  void give_back(std::unique_ptr<EchoBuffer> buffer) { free_.push_back(std::move(buffer)); }

 private:
  std::vector<std::unique_ptr<EchoBuffer>> free_;
};

/// `buffer:private`: a buffer in the task's own state (private stack, future, frame).
class PrivateBuffer {
 public:
  static constexpr bool is_borrowed = false;

  explicit PrivateBuffer(BufferPool&) noexcept {}
  [[nodiscard]] std::span<std::byte> bytes() noexcept { return buffer_; }

 private:
  EchoBuffer buffer_;  // not initialised: nobody reads what has not been received
};

/// `buffer:borrowed`: a buffer held only while there is something in it.
class BorrowedBuffer {
 public:
  static constexpr bool is_borrowed = true;

  explicit BorrowedBuffer(BufferPool& pool) noexcept : pool_{pool} {}
  ~BorrowedBuffer() { give_back(); }
  BorrowedBuffer(const BorrowedBuffer&) = delete;
  BorrowedBuffer& operator=(const BorrowedBuffer&) = delete;

  void take() {
    if (!buffer_) buffer_ = pool_.take();
  }
  void give_back() {
    if (buffer_) pool_.give_back(std::move(buffer_));
  }
  [[nodiscard]] std::span<std::byte> bytes() noexcept { return *buffer_; }

 private:
  BufferPool& pool_;
  std::unique_ptr<EchoBuffer> buffer_;
};

}  // namespace harness
