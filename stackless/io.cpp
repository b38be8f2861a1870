// SPDX-License-Identifier: BSL-1.0
#include "stackless/io.hpp"

#include <optional>
#include <utility>

#include "stackless/executor.hpp"
#include "stackless/fault.hpp"

namespace stackless {

Stream::Stream(Executor& executor, io::Descriptor descriptor, std::error_code& error)
    : source_{executor.reactor(), std::move(descriptor), error} {}

Poll<void> Stream::poll_wait_readable(Context& context) {
  if (source_.readable()) return ready;
  context.stay_on_this_thread();
  reader_.refresh(context.waker());
  source_.await_readable(&reader_);
  return pending;
}

Poll<io::Transfer> Stream::poll_read_some(Context& context, std::span<std::byte> into) {
  if (const auto transfer = source_.try_read(into)) return *transfer;
  context.stay_on_this_thread();
  reader_.refresh(context.waker());
  source_.await_readable(&reader_);
  return pending;
}

Poll<io::Transfer> Stream::poll_write_some(Context& context, std::span<const std::byte> from) {
  if (const auto transfer = source_.try_write(from)) return *transfer;
  context.stay_on_this_thread();
  writer_.refresh(context.waker());
  source_.await_writable(&writer_);
  return pending;
}

void Stream::forget_reader() noexcept {
  source_.await_readable(nullptr);
  reader_.reset();
}

void Stream::forget_writer() noexcept {
  source_.await_writable(nullptr);
  writer_.reset();
}

Poll<void> Stream::Readable::poll(Context& context) {
  if (stream_ == nullptr) polled_after_completion();
  const Poll<void> readable = stream_->poll_wait_readable(context);
  waiting_ = readable.is_pending();
  if (!waiting_) stream_ = nullptr;
  return readable;
}

Poll<io::Transfer> Stream::Read::poll(Context& context) {
  if (stream_ == nullptr) polled_after_completion();
  Poll<io::Transfer> transfer = stream_->poll_read_some(context, into_);
  waiting_ = transfer.is_pending();
  if (!waiting_) stream_ = nullptr;
  return transfer;
}

Poll<io::Transfer> Stream::Write::poll(Context& context) {
  if (stream_ == nullptr) polled_after_completion();
  Poll<io::Transfer> transfer = stream_->poll_write_some(context, from_);
  waiting_ = transfer.is_pending();
  if (!waiting_) stream_ = nullptr;
  return transfer;
}

Listener::Listener(Executor& executor, io::Descriptor descriptor, std::error_code& error)
    : source_{executor.reactor(), std::move(descriptor), error} {}

Poll<io::Descriptor> Listener::poll_accept(Context& context, std::error_code& error) {
  if (auto connection = source_.try_accept(io::Mode::nonblocking, error)) {
    return std::move(*connection);
  }
  context.stay_on_this_thread();
  acceptor_.refresh(context.waker());
  source_.await_readable(&acceptor_);
  return pending;
}

void Listener::forget_acceptor() noexcept {
  source_.await_readable(nullptr);
  acceptor_.reset();
}

Poll<io::Descriptor> Listener::Accept::poll(Context& context) {
  if (listener_ == nullptr) polled_after_completion();
  Poll<io::Descriptor> connection = listener_->poll_accept(context, *error_);
  waiting_ = connection.is_pending();
  if (!waiting_) listener_ = nullptr;
  return connection;
}

}  // namespace stackless
