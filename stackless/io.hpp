// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <span>
#include <system_error>
#include <utility>

#include "io/socket.hpp"
#include "io/source.hpp"
#include "stackless/future.hpp"
#include "stackless/runtime.hpp"
#include "stackless/waker.hpp"

namespace stackless {

/// The reactor's way to a task.
class WakingWaiter : public io::Waiter {
 public:
  WakingWaiter() noexcept : io::Waiter{&WakingWaiter::wake} {}

  /// The next notification wakes this task.
  void refresh(const Waker& waker) noexcept { waker_.clone_from(waker); }
  void reset() noexcept { waker_.reset(); }

 private:
  static void wake(io::Waiter& waiter) noexcept {
    static_cast<WakingWaiter&>(waiter).waker_.wake_by_ref();
  }
  Waker waker_;
};

/// A non-blocking connection, registered with the executor's reactor for its whole life; stays put.
/// One reader and one writer at a time. Belongs to the executor's thread.
class Stream {
 public:
  class Readable;
  class Read;
  class Write;

  Stream(Executor& executor, io::Descriptor descriptor, std::error_code& error);
  /// With the calling worker, or the first one when made outside. Only its tasks may use it.
  Stream(Runtime& runtime, io::Descriptor descriptor, std::error_code& error)
      : Stream{runtime.here(), std::move(descriptor), error} {}

  /// A future of the moment when read_some has something to say. For whoever wants no buffer
  /// before.
  [[nodiscard]] Readable wait_readable() noexcept;
  /// A future of what is there, at most `into`; 0 bytes without error is the end. `into` has to
  /// outlive it. Dropped while pending, it has taken nothing from the stream.
  [[nodiscard]] Read read_some(std::span<std::byte> into) noexcept;
  /// A future of what the kernel takes, perhaps less than all. Dropped while pending, it has sent
  /// nothing.
  [[nodiscard]] Write write_some(std::span<const std::byte> from) noexcept;

  /// The same without a future of their own, for a future that is a state machine itself.
  Poll<void> poll_wait_readable(Context& context);
  Poll<io::Transfer> poll_read_some(Context& context, std::span<std::byte> into);
  Poll<io::Transfer> poll_write_some(Context& context, std::span<const std::byte> from);
  /// Takes back what a pending poll has arranged.
  void forget_reader() noexcept;
  void forget_writer() noexcept;

 private:
  io::Source source_;
  WakingWaiter reader_;
  WakingWaiter writer_;
};

class Stream::Readable {
 public:
  using Output = void;

  explicit Readable(Stream& stream) noexcept : stream_{&stream} {}
  ~Readable() {
    if (waiting_) stream_->forget_reader();
  }
  Readable(const Readable&) = delete;
  Readable& operator=(const Readable&) = delete;
  Poll<void> poll(Context& context);

 private:
  Stream* stream_;  // nullptr: done
  bool waiting_ = false;
};

class Stream::Read {
 public:
  using Output = io::Transfer;

  Read(Stream& stream, std::span<std::byte> into) noexcept : stream_{&stream}, into_{into} {}
  ~Read() {
    if (waiting_) stream_->forget_reader();
  }
  Read(const Read&) = delete;
  Read& operator=(const Read&) = delete;
  Poll<io::Transfer> poll(Context& context);

 private:
  Stream* stream_;  // nullptr: done
  std::span<std::byte> into_;
  bool waiting_ = false;
};

class Stream::Write {
 public:
  using Output = io::Transfer;

  Write(Stream& stream, std::span<const std::byte> from) noexcept : stream_{&stream}, from_{from} {}
  ~Write() {
    if (waiting_) stream_->forget_writer();
  }
  Write(const Write&) = delete;
  Write& operator=(const Write&) = delete;
  Poll<io::Transfer> poll(Context& context);

 private:
  Stream* stream_;  // nullptr: done
  std::span<const std::byte> from_;
  bool waiting_ = false;
};

/// A listening socket, registered like a stream.
class Listener {
 public:
  class Accept;

  Listener(Executor& executor, io::Descriptor descriptor, std::error_code& error);
  Listener(Runtime& runtime, io::Descriptor descriptor, std::error_code& error)
      : Listener{runtime.here(), std::move(descriptor), error} {}

  /// A future of one connection. Limits (EMFILE, …) come as `error` with an empty descriptor: sleep
  /// a while before the next attempt. `error` has to outlive it.
  [[nodiscard]] Accept accept(std::error_code& error) noexcept;
  Poll<io::Descriptor> poll_accept(Context& context, std::error_code& error);
  void forget_acceptor() noexcept;

 private:
  io::Source source_;
  WakingWaiter acceptor_;
};

class Listener::Accept {
 public:
  using Output = io::Descriptor;

  Accept(Listener& listener, std::error_code& error) noexcept
      : listener_{&listener}, error_{&error} {}
  ~Accept() {
    if (waiting_) listener_->forget_acceptor();
  }
  Accept(const Accept&) = delete;
  Accept& operator=(const Accept&) = delete;
  Poll<io::Descriptor> poll(Context& context);

 private:
  Listener* listener_;  // nullptr: done
  std::error_code* error_;
  bool waiting_ = false;
};

static_assert(Future<Stream::Readable> && Future<Stream::Read> && Future<Stream::Write> &&
              Future<Listener::Accept>);

inline Stream::Readable Stream::wait_readable() noexcept {
  return Readable{*this};
}
inline Stream::Read Stream::read_some(std::span<std::byte> into) noexcept {
  return {*this, into};
}
inline Stream::Write Stream::write_some(std::span<const std::byte> from) noexcept {
  return {*this, from};
}
inline Listener::Accept Listener::accept(std::error_code& error) noexcept {
  return {*this, error};
}

}  // namespace stackless
