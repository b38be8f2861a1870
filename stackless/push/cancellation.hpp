// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>

#include "stackless/push/counted.hpp"
#include "stackless/push/operation.hpp"

namespace stackless::push {

/// What a source and its tokens share.
struct Cancellation : Counted {
  bool requested = false;
  OperationList operations;
};

/// Given to whatever is to be cancelled together. An empty one never is.
class CancellationToken {
 public:
  CancellationToken() = default;
  explicit CancellationToken(Ref<Cancellation> of) noexcept : of_{std::move(of)} {}

  [[nodiscard]] bool is_cancelled() const noexcept { return of_ && of_->requested; }
  void add(Operation& operation) const noexcept {
    if (of_) of_->operations.add(operation.in_token);
  }
  void remove(Operation& operation) const noexcept {
    if (of_) of_->operations.remove(operation.in_token);
  }

 private:
  Ref<Cancellation> of_;
};

/// Cancels what has its token. The push model needs it: an operation under way is owned by whatever
/// it waits for, so dropping the promise stops nothing.
class CancellationSource {
 public:
  [[nodiscard]] CancellationToken token() const noexcept { return CancellationToken{of_}; }
  /// What has the token settles as cancelled, and what is begun with it later does so at once.
  void cancel() noexcept {
    const Ref<Cancellation> kept = of_;
    kept->requested = true;
    kept->operations.cancel_all();
  }

 private:
  Ref<Cancellation> of_{new Cancellation};
};

}  // namespace stackless::push
