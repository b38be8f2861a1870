// SPDX-License-Identifier: BSL-1.0
#include "stackful/io.hpp"

#include <optional>
#include <utility>

namespace stackful {
namespace {

using Arrangement = void (io::Source::*)(io::Waiter*) noexcept;

/// One wait for one side of a source. Taken back at its end: a cancelled fiber must not be
/// notified.
class Readiness {
 public:
  Readiness(io::Source& source, Arrangement side, Scheduler& scheduler) noexcept
      : source_{source}, side_{side} {
    (source_.*side_)(&scheduler.running());
  }
  ~Readiness() { (source_.*side_)(nullptr); }
  Readiness(const Readiness&) = delete;
  Readiness& operator=(const Readiness&) = delete;

 private:
  io::Source& source_;
  Arrangement side_;
};

/// Tries until there is an outcome, parked in between.
template <class Attempt>
auto complete(Scheduler& scheduler, io::Source& source, Arrangement side, Attempt attempt) {
  scheduler.expect_home();
  scheduler.bind_running();
  scheduler.use_slice();
  auto outcome = attempt();
  while (!outcome) {
    {
      const Readiness awaited{source, side, scheduler};
      scheduler.park();
    }
    scheduler.begin_slice();
    outcome = attempt();
  }
  return *std::move(outcome);
}

}  // namespace

Stream::Stream(Scheduler& scheduler, io::Descriptor descriptor, std::error_code& error)
    : scheduler_{scheduler}, source_{scheduler.reactor(), std::move(descriptor), error} {
  scheduler_.bind_running();
}

void Stream::wait_readable() {
  complete(scheduler_, source_, &io::Source::await_readable,
           [&] { return source_.readable() ? std::optional{true} : std::nullopt; });
}

io::Transfer Stream::read_some(std::span<std::byte> into) {
  return complete(scheduler_, source_, &io::Source::await_readable,
                  [&] { return source_.try_read(into); });
}

io::Transfer Stream::write_some(std::span<const std::byte> from) {
  return complete(scheduler_, source_, &io::Source::await_writable,
                  [&] { return source_.try_write(from); });
}

Listener::Listener(Scheduler& scheduler, io::Descriptor descriptor, std::error_code& error)
    : scheduler_{scheduler}, source_{scheduler.reactor(), std::move(descriptor), error} {
  scheduler_.bind_running();
}

io::Descriptor Listener::accept(std::error_code& error) {
  return complete(scheduler_, source_, &io::Source::await_readable,
                  [&] { return source_.try_accept(io::Mode::nonblocking, error); });
}

}  // namespace stackful
