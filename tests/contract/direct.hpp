// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <system_error>
#include <utility>

#include "tests/contract/script.hpp"

namespace contract {

/// Plays scripts in direct style: each operation is a call that returns when it is done.
template <class B>
struct Direct {
  using Backend = B;

  static std::error_code spawn(typename B::Runtime& runtime, Script<B> script) {
    return runtime.spawn([script = std::move(script)]() mutable {
      while (auto* operation = script.resume()) std::visit(perform, *operation);
    });
  }

 private:
  struct Perform {
    void operator()(std::monostate) const {}
    void operator()(Wait<typename B::Event>* wait) const { wait->event.wait(); }
    void operator()(Sleep* sleep) const { B::sleep_until(sleep->deadline); }
    void operator()(Yield*) const { B::yield(); }
    void operator()(Read<typename B::Stream>* read) const {
      read->result = read->stream.read_some(read->into);
    }
    void operator()(Write<typename B::Stream>* write) const {
      write->result = write->stream.write_some(write->from);
    }
    void operator()(Accept<typename B::Listener>* accept) const {
      accept->connection = accept->listener.accept(accept->error);
    }
  };
  static constexpr Perform perform{};
};

}  // namespace contract
