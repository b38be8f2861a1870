// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <fmt/format.h>
#include <malloc.h>
#include <memory>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <system_error>
#include <vector>

#include "harness/limits.hpp"
#include "harness/subject.hpp"
#include "harness/workloads/audit.hpp"
#include "io/clock.hpp"
#include "io/socket.hpp"

namespace harness {

/// Where tasks wait for something that never comes, until they are cancelled: round after round,
/// until the time is used up. Sees to it that all of them wait, and that all go.
class Lounge {
 public:
  /// A task's life: the first thing it makes, so the last that goes.
  class Guest {
   public:
    explicit Guest(Lounge& lounge) noexcept : lounge_{&lounge} { lounge_->inside_.fetch_add(1); }
    ~Guest() { lounge_->inside_.fetch_sub(1); }
    Guest(const Guest&) = delete;
    Guest& operator=(const Guest&) = delete;

   private:
    Lounge* lounge_;
  };
  using Buffer = std::array<std::byte, 4096>;

  Lounge(Port& port, std::size_t tasks, bool reads) : port_{&port}, tasks_{tasks}, reads_{reads} {
    took_.reserve(most_rounds);
    keep_freed_memory();
  }

  [[nodiscard]] Port& port() noexcept { return *port_; }
  [[nodiscard]] std::size_t tasks() const noexcept { return tasks_; }
  [[nodiscard]] bool reads() const noexcept { return reads_; }
  /// Long after all is over.
  [[nodiscard]] static io::TimePoint closing_time() {
    return io::Clock::now() + std::chrono::hours{1};
  }
  [[nodiscard]] static io::TimePoint when_all_wait() {
    return io::Clock::now() + std::chrono::milliseconds{1};
  }

  /// The leader, before it spawns everybody. False: the time is used up.
  bool open(io::Mode mode) {
    if (took_.size() == warm_rounds) measuring_until_ = io::Clock::now() + port_->measure_for();
    const bool enough =
        took_.size() >= warm_rounds + fewest_rounds && io::Clock::now() >= measuring_until_;
    if (enough || took_.size() == most_rounds) return false;
    arrived_.store(0);
    if (reads_) connect(mode);
    return true;
  }
  /// The socket of a task, which becomes the task's own.
  [[nodiscard]] int take_end(std::size_t number) noexcept { return ends_[number].release(); }

  /// A task that is about to wait.
  void arrive(std::error_code error = {}) {
    if (error) port_->give_up("failed: registering a socket: " + error.message());
    arrived_.fetch_add(1);
  }
  [[nodiscard]] bool all_arrived() const noexcept { return arrived_.load() == tasks_; }
  [[nodiscard]] std::size_t inside() const noexcept { return inside_.load(); }
  [[nodiscard]] bool all_left() const noexcept { return inside() == 0; }

  /// The leader: `cancel` returns when all is given back.
  template <class Cancel>
  void time(Cancel cancel) {
    if (inside_.load() != tasks_) port_->give_up("wrong: a task has not waited to be cancelled");
    const auto began = io::Clock::now();
    cancel();
    const std::chrono::duration<double, std::nano> took = io::Clock::now() - began;
    if (!all_left()) {
      port_->give_up(fmt::format("wrong: {} of {} tasks are still there", inside_.load(), tasks_));
    }
    took_.push_back(took.count() / static_cast<double>(tasks_));
    peers_.clear();
    ends_.clear();
  }
  /// The leader, after each round.
  void audit(const InRuntime& held) {
    after_ = Holdings::now(held);
    if (took_.size() == warm_rounds) before_ = after_;
  }
  void report() {
    after_.report_leaks(*port_, before_);
    took_.erase(took_.begin(), took_.begin() + warm_rounds);
    port_->result("ns_per_cancel", took_);
  }

 private:
  /// What is freed goes back to the heap. When the heap gives pages back to the kernel is its own
  /// affair, and would hit whoever happens to free the topmost block.
  static void keep_freed_memory() noexcept {
    (void)::mallopt(M_TRIM_THRESHOLD, 1 << 30);
    (void)::mallopt(M_MMAP_THRESHOLD, 1 << 30);
  }

  static constexpr std::ptrdiff_t warm_rounds = 2;
  static constexpr std::size_t fewest_rounds = 5;
  static constexpr std::size_t most_rounds = 4096;

  void connect(io::Mode mode) {
    for (std::size_t made = 0; made != tasks_; ++made) {
      std::array<int, 2> pair{};
      const int flags =
          SOCK_STREAM | SOCK_CLOEXEC | (mode == io::Mode::nonblocking ? SOCK_NONBLOCK : 0);
      if (::socketpair(AF_UNIX, flags, 0, pair.data()) != 0) {
        port_->give_up(refusal({errno, std::system_category()}, made));
      }
      ends_.emplace_back(pair[0]);
      peers_.emplace_back(pair[1]);
    }
  }

  Port* port_;
  std::size_t tasks_;
  bool reads_;
  std::vector<io::Descriptor> ends_;
  std::vector<io::Descriptor> peers_;
  std::atomic<std::size_t> arrived_{0};
  std::atomic<std::size_t> inside_{0};
  std::vector<double> took_;
  io::TimePoint measuring_until_;
  Holdings before_;
  Holdings after_;
};

}  // namespace harness
