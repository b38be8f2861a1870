// SPDX-License-Identifier: BSL-1.0
#include "stackful/runtime.hpp"

#include <atomic>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace stackful {
namespace {

/// Threads that do not work before all of them exist and are prepared.
class Threads {
 public:
  ~Threads() {
    if (order_.load() == Order::wait) give(Order::leave);
    for (std::thread& thread : threads_) thread.join();
  }

  /// One that has `prepare` make its watch, and does `work`. Throws std::system_error.
  template <class Prepare, class Work>
  void add(Prepare prepare, Work work) {
    std::promise<void> prepared;
    prepared_.push_back(prepared.get_future());
    threads_.emplace_back([this, prepare, work, prepared = std::move(prepared)]() mutable {
      std::optional<OverflowWatch> watch;
      try {
        prepare(watch);
        prepared.set_value();
      } catch (...) {
        prepared.set_exception(std::current_exception());
      }
      order_.wait(Order::wait);
      if (order_.load() == Order::run) work();
    });
  }

  /// Throws what one of them could not be prepared for; then none works.
  void start() {
    for (std::future<void>& prepared : prepared_) prepared.get();
    give(Order::run);
  }

 private:
  enum class Order { wait, run, leave };

  void give(Order order) noexcept {
    order_.store(order);
    order_.notify_all();
  }

  std::atomic<Order> order_{Order::wait};
  std::vector<std::future<void>> prepared_;
  std::vector<std::thread> threads_;
};

}  // namespace

Runtime::Runtime(const Options& options) {
  if (options.workers == 0) {
    throw std::system_error{std::make_error_code(std::errc::invalid_argument), "workers"};
  }
  Crew* const crew = options.workers == 1 ? nullptr : &crew_;
  while (workers_.size() != options.workers) {
    workers_.push_back(std::make_unique<Scheduler>(options, crew));
  }
}

void Runtime::run() {
  Threads others;
  for (std::size_t i = 1; i != workers_.size(); ++i) {
    others.add([this](auto& watch) { begin_to_watch(watch); }, [this, i] { workers_[i]->run(); });
  }
  std::optional<OverflowWatch> watch;
  begin_to_watch(watch);
  others.start();
  workers_.front()->run();
}

void Runtime::begin_to_watch(std::optional<OverflowWatch>& watch) const {
  if (report_ != nullptr) watch.emplace(stack_pools(), report_, whom_);
}

std::vector<const StackPool*> Runtime::stack_pools() const {
  std::vector<const StackPool*> pools;
  for (const auto& worker : workers_) pools.push_back(&worker->stacks());
  return pools;
}

Scheduler& Runtime::here() noexcept {
  Scheduler* const current = Scheduler::current();
  for (const auto& worker : workers_) {
    if (worker.get() == current) return *current;
  }
  return *workers_.front();
}

std::size_t Runtime::next_worker() noexcept {
  const std::size_t workers = workers_.size();
  return workers == 1 ? 0 : dealt_.fetch_add(1, std::memory_order_relaxed) % workers;
}

}  // namespace stackful
