// SPDX-License-Identifier: BSL-1.0
#include "stackful/io.hpp"

#include <optional>
#include <utility>

namespace stackful {

Stream::Stream(Scheduler& scheduler, io::Descriptor descriptor, std::error_code& error)
    : scheduler_{scheduler}, source_{scheduler.reactor(), std::move(descriptor), error} {}

io::Transfer Stream::read_some(std::span<std::byte> into) noexcept {
  while (true) {
    if (std::optional<io::Transfer> done = source_.try_read(into)) return *done;
    source_.await_readable(&scheduler_.running());
    scheduler_.park();
  }
}

io::Transfer Stream::write_some(std::span<const std::byte> from) noexcept {
  while (true) {
    if (std::optional<io::Transfer> done = source_.try_write(from)) return *done;
    source_.await_writable(&scheduler_.running());
    scheduler_.park();
  }
}

Listener::Listener(Scheduler& scheduler, io::Descriptor descriptor, std::error_code& error)
    : scheduler_{scheduler}, source_{scheduler.reactor(), std::move(descriptor), error} {}

io::Descriptor Listener::accept(std::error_code& error) noexcept {
  while (true) {
    if (std::optional<io::Descriptor> taken = source_.try_accept(io::Mode::nonblocking, error)) {
      return std::move(*taken);
    }
    source_.await_readable(&scheduler_.running());
    scheduler_.park();
  }
}

}  // namespace stackful
