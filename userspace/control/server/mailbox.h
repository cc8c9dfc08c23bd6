// SPDX-License-Identifier: BSD-2-Clause
// A queue of functions that other threads post for one thread.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "util/unique_fd.h"

namespace control {

class Mailbox {
 public:
  Mailbox();
  // May be called from any thread. Functions run in the order of the calls.
  void Post(std::function<void()> work);
  // Readable when the queue is not empty.
  int fd() const { return fd_.get(); }
  // Runs the functions that are queued at the call, on the calling thread.
  void Run();

 private:
  util::UniqueFd fd_;
  std::mutex mutex_;
  std::vector<std::function<void()>> work_;
};

}  // namespace control
