// SPDX-License-Identifier: BSL-1.0
#include "io/source.hpp"

#include <sys/epoll.h>
#include <utility>

#include "io/reactor.hpp"

namespace io {

Source::Source(Reactor& reactor, Descriptor descriptor, std::error_code& error)
    : reactor_{reactor}, descriptor_{std::move(descriptor)} {
  error = reactor_.add(*this);
  registered_ = writable_ = !error;
}

Source::~Source() {
  if (registered_) reactor_.remove(*this);
}

std::optional<Transfer> Source::try_read(std::span<std::byte> into) noexcept {
  if (!readable_ || exhausted()) return std::nullopt;
  const Transfer transfer = read_some(descriptor_.get(), into);
  if (transfer.would_block()) {
    readable_ = false;
    return std::nullopt;
  }
  ++spent_;
  const bool short_read = transfer.bytes != 0 && transfer.bytes < into.size();
  if (short_read && !ended_) readable_ = false;
  return transfer;
}

std::optional<Transfer> Source::try_write(std::span<const std::byte> from) noexcept {
  if (!writable_ || exhausted()) return std::nullopt;
  const Transfer transfer = write_some(descriptor_.get(), from);
  if (transfer.would_block()) {
    writable_ = false;
    return std::nullopt;
  }
  ++spent_;
  if (!transfer.error && transfer.bytes < from.size()) writable_ = false;
  return transfer;
}

std::optional<Descriptor> Source::try_accept(Mode mode, std::error_code& error) noexcept {
  error.clear();
  if (!readable_ || exhausted()) return std::nullopt;
  Descriptor connection = accept(descriptor_.get(), mode, error);
  if (would_block(error)) {
    readable_ = false;
    error.clear();
    return std::nullopt;
  }
  ++spent_;
  return connection;
}

std::size_t Source::deliver(std::uint32_t events) noexcept {
  const bool ended = (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  const bool broken = (events & (EPOLLHUP | EPOLLERR)) != 0;
  const bool reads = ended || (events & EPOLLIN) != 0;
  const bool writes = broken || (events & EPOLLOUT) != 0;
  ended_ = ended_ || ended;
  readable_ = readable_ || reads;
  writable_ = writable_ || writes;
  return notify(reads, writes);
}

std::size_t Source::notify(bool readers, bool writers) noexcept {
  Waiter* const reader = readers ? std::exchange(reader_, nullptr) : nullptr;
  Waiter* const writer = writers ? std::exchange(writer_, nullptr) : nullptr;
  if (reader != nullptr) reader->notify(*reader);
  if (writer != nullptr) writer->notify(*writer);
  return (reader != nullptr ? 1U : 0U) + (writer != nullptr ? 1U : 0U);
}

void Source::rest() noexcept {
  if (resting_) return;
  resting_ = true;
  next_resting_ = std::exchange(reactor_.resting_, this);
}

std::size_t Source::end_rest() noexcept {
  resting_ = false;
  spent_ = 0;
  return notify(readable_, writable_);
}

}  // namespace io
