// SPDX-License-Identifier: BSL-1.0
#include "stackful/runtime.hpp"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace stackful {
namespace {

/// Threads that do nothing before all of them exist.
class Threads {
 public:
  ~Threads() {
    if (order_.load() == Order::wait) give(Order::leave);
    for (std::thread& thread : threads_) thread.join();
  }

  /// Throws std::system_error.
  void add(Scheduler& worker) {
    threads_.emplace_back([this, &worker] {
      order_.wait(Order::wait);
      if (order_.load() == Order::run) worker.run();
    });
  }

  void start() noexcept { give(Order::run); }

 private:
  enum class Order { wait, run, leave };

  void give(Order order) noexcept {
    order_.store(order);
    order_.notify_all();
  }

  std::atomic<Order> order_{Order::wait};
  std::vector<std::thread> threads_;
};

}  // namespace

Runtime::Runtime(const Options& options) {
  if (options.workers == 0) {
    throw std::system_error{std::make_error_code(std::errc::invalid_argument), "workers"};
  }
  Crew* const crew = options.workers == 1 ? nullptr : &crew_;
  while (crew_.workers.size() != options.workers) {
    crew_.workers.push_back(std::make_unique<Scheduler>(options, crew));
  }
}

void Runtime::run() {
  Threads others;
  for (std::size_t i = 1; i != crew_.workers.size(); ++i) others.add(*crew_.workers[i]);
  others.start();
  crew_.workers.front()->run();
}

Scheduler& Runtime::here() noexcept {
  Scheduler* const current = Scheduler::current();
  for (const auto& worker : crew_.workers) {
    if (worker.get() == current) return *current;
  }
  return *crew_.workers.front();
}

std::size_t Runtime::next_worker() noexcept {
  const std::size_t workers = crew_.workers.size();
  return workers == 1 ? 0 : dealt_.fetch_add(1, std::memory_order_relaxed) % workers;
}

}  // namespace stackful
