// SPDX-License-Identifier: BSL-1.0
#include "threads/io.hpp"

#include <utility>

namespace threads {
namespace {

void require_open(const io::Descriptor& descriptor, std::error_code& error) noexcept {
  error = descriptor ? std::error_code{} : std::make_error_code(std::errc::bad_file_descriptor);
}

}  // namespace

Stream::Stream(Scheduler&, io::Descriptor descriptor, std::error_code& error) noexcept
    : descriptor_{std::move(descriptor)} {
  require_open(descriptor_, error);
}

io::Transfer Stream::read_some(std::span<std::byte> into) noexcept {
  return io::read_some(descriptor_.get(), into);
}

io::Transfer Stream::write_some(std::span<const std::byte> from) noexcept {
  return io::write_some(descriptor_.get(), from);
}

Listener::Listener(Scheduler&, io::Descriptor descriptor, std::error_code& error) noexcept
    : descriptor_{std::move(descriptor)} {
  require_open(descriptor_, error);
}

io::Descriptor Listener::accept(std::error_code& error) noexcept {
  return io::accept(descriptor_.get(), io::Mode::blocking, error);
}

}  // namespace threads
