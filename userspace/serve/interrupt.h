// SPDX-License-Identifier: BSD-2-Clause
// Ctrl-C as something that poll() waits for.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include "util/unique_fd.h"

namespace serve {

// SIGINT and SIGTERM, as long as it lives: its file is readable once one came. One at a time.
class Interrupt {
 public:
  Interrupt() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    told_ = fd_.get();
    struct sigaction action = {};
    action.sa_handler = [](int) {
      const int error = errno;
      const uint64_t one = 1;
      // Full is as good as told.
      [[maybe_unused]] const ssize_t written = write(told_, &one, sizeof one);
      errno = error;
    };
    sigaction(SIGINT, &action, &before_[0]);
    sigaction(SIGTERM, &action, &before_[1]);
  }
  ~Interrupt() {
    sigaction(SIGINT, &before_[0], nullptr);
    sigaction(SIGTERM, &before_[1], nullptr);
  }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  int fd() const { return fd_.get(); }

 private:
  inline static std::atomic<int> told_ = -1;
  util::UniqueFd fd_;
  std::array<struct sigaction, 2> before_ = {};
};

}  // namespace serve
