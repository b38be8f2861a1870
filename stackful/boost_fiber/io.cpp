// SPDX-License-Identifier: BSL-1.0
#include "stackful/boost_fiber/io.hpp"

#include <utility>

#include "stackful/boost_fiber/parking.hpp"
#include "stackful/boost_fiber/scheduler.hpp"

namespace stackful::boost_fiber {

Stream::Stream(Scheduler& scheduler, io::Descriptor descriptor, std::error_code& error)
    : scheduler_{scheduler}, source_{scheduler.reactor(), std::move(descriptor), error} {}

void Stream::wait_readable() noexcept {
  while (!source_.readable()) {
    Parking<io::Waiter> parking;
    source_.await_readable(&parking);
    parking.suspend(scheduler_);
  }
}

io::Transfer Stream::read_some(std::span<std::byte> into) noexcept {
  scheduler_.use_slice();
  while (true) {
    if (const auto transfer = source_.try_read(into)) return *transfer;
    Parking<io::Waiter> parking;
    source_.await_readable(&parking);
    parking.suspend(scheduler_);
  }
}

io::Transfer Stream::write_some(std::span<const std::byte> from) noexcept {
  scheduler_.use_slice();
  while (true) {
    if (const auto transfer = source_.try_write(from)) return *transfer;
    Parking<io::Waiter> parking;
    source_.await_writable(&parking);
    parking.suspend(scheduler_);
  }
}

Listener::Listener(Scheduler& scheduler, io::Descriptor descriptor, std::error_code& error)
    : scheduler_{scheduler}, source_{scheduler.reactor(), std::move(descriptor), error} {}

io::Descriptor Listener::accept(std::error_code& error) noexcept {
  scheduler_.use_slice();
  while (true) {
    if (auto connection = source_.try_accept(io::Mode::nonblocking, error)) {
      return std::move(*connection);
    }
    Parking<io::Waiter> parking;
    source_.await_readable(&parking);
    parking.suspend(scheduler_);
  }
}

}  // namespace stackful::boost_fiber
