// SPDX-License-Identifier: BSL-1.0
#include "stackless/runtime.hpp"

namespace stackless {

Runtime::Runtime(const Options& options) {
  if (options.workers == 1) {
    alone_.emplace(options);
    return;
  }
  Options local = options;
  local.workers = 1;
  crew_.emplace(
      ParallelOptions{.workers = options.workers, .stealing = options.stealing, .local = local});
}

void Runtime::run() {
  alone_ ? alone_->run() : crew_->run();
}

void Runtime::stop() noexcept {
  alone_ ? alone_->stop() : crew_->stop();
}

std::size_t Runtime::live_tasks() const noexcept {
  return alone_ ? alone_->live_tasks() : crew_->live_tasks() + crew_->live_local_tasks();
}

}  // namespace stackless
