// SPDX-License-Identifier: BSL-1.0
#include "stackless/push/io.hpp"

#include <optional>
#include <utility>

#include "stackless/push/pending.hpp"

namespace stackless::push {
namespace {

enum class Side { readable, writable };

/// Waits for readiness, and tries again, until it gets something. `Attempt` returns an optional
/// output.
template <class T, Side side, class Attempt>
class Transferring final : public Pending<T>, public io::Waiter, public Job {
 public:
  Transferring(Loop& on, io::Source& source, Attempt attempt, CancellationToken token)
      : Pending<T>{on, std::move(token)}, source_{&source}, attempt_{std::move(attempt)} {
    notify = &queue;
  }

  void start() noexcept {
    if (this->begin()) await(this);
  }

 private:
  static void queue(io::Waiter& waiter) noexcept {
    auto& ready = static_cast<Transferring&>(waiter);
    ready.add_reference();  // the queue's: it may be cancelled before its turn
    ready.queued_ = true;
    ready.loop().queue(ready);
  }
  void run() noexcept override {
    const Ref<Transferring> self{this};
    if (!std::exchange(queued_, false)) return;  // cancelled meanwhile
    if (auto output = attempt_()) return this->finish(Outcome<T>{std::move(*output)});
    await(this);
  }
  void disarm() noexcept override {
    queued_ = false;
    await(nullptr);
  }
  void await(io::Waiter* waiter) noexcept {
    if constexpr (side == Side::readable) {
      source_->await_readable(waiter);
    } else {
      source_->await_writable(waiter);
    }
  }

  io::Source* source_;
  Attempt attempt_;
  bool queued_ = false;
};

/// Tries first: what can be had at once costs no operation.
template <class T, Side side, class Attempt>
Promise<T> transfer(Loop& loop, io::Source& source, Attempt attempt, CancellationToken token) {
  if (auto output = attempt()) return Promise<T>{std::move(*output)};
  using Operation = Transferring<T, side, Attempt>;
  Ref<Operation> operation{new Operation{loop, source, std::move(attempt), std::move(token)}};
  operation->start();
  return Promise<T>{std::move(operation)};
}

}  // namespace

Stream::Stream(Loop& loop, io::Descriptor descriptor, std::error_code& error)
    : loop_{&loop}, source_{loop.reactor(), std::move(descriptor), error} {}

Promise<io::Transfer> Stream::read_some(std::span<std::byte> into, CancellationToken token) {
  return transfer<io::Transfer, Side::readable>(
      *loop_, source_, [this, into] { return source_.try_read(into); }, std::move(token));
}

Promise<io::Transfer> Stream::write_some(std::span<const std::byte> from, CancellationToken token) {
  return transfer<io::Transfer, Side::writable>(
      *loop_, source_, [this, from] { return source_.try_write(from); }, std::move(token));
}

Listener::Listener(Loop& loop, io::Descriptor descriptor, std::error_code& error)
    : loop_{&loop}, source_{loop.reactor(), std::move(descriptor), error} {}

Promise<io::Descriptor> Listener::accept(std::error_code& error, CancellationToken token) {
  return transfer<io::Descriptor, Side::readable>(
      *loop_, source_, [this, &error] { return source_.try_accept(io::Mode::nonblocking, error); },
      std::move(token));
}

}  // namespace stackless::push
