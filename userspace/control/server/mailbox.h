// SPDX-License-Identifier: BSD-2-Clause
// Work that other threads leave for one thread.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "util/unique_fd.h"

namespace control {

class Mailbox {
 public:
  Mailbox();
  // From any thread; done in the order in which it came.
  void Post(std::function<void()> work);
  // Readable when there is work.
  int fd() const { return fd_.get(); }
  // Does what was there at the call, on the calling thread.
  void Run();

 private:
  util::UniqueFd fd_;
  std::mutex mutex_;
  std::vector<std::function<void()>> work_;
};

}  // namespace control
