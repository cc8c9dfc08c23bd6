// SPDX-License-Identifier: BSD-2-Clause
#include "control/server/mailbox.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace control {

Mailbox::Mailbox() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Mailbox::Post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    work_.push_back(std::move(work));
  }
  const uint64_t one = 1;
  // Ignores EAGAIN: a full counter is readable as well.
  [[maybe_unused]] const ssize_t written = write(fd_.get(), &one, sizeof one);
}

void Mailbox::Run() {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(fd_.get(), &count, sizeof count);
  std::vector<std::function<void()>> work;
  {
    const std::lock_guard lock(mutex_);
    work.swap(work_);
  }
  for (const auto& each : work) each();
}

}  // namespace control
