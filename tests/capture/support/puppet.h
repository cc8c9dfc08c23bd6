// SPDX-License-Identifier: BSD-2-Clause
// A process that executes one command (a character) at a time.
#pragma once

#include <sys/types.h>

#include <functional>

#include "util/unique_fd.h"

namespace truth {

class Puppet {
 public:
  // The process calls `act` with each command.
  explicit Puppet(const std::function<void(char)>& act);
  Puppet(const Puppet&) = delete;
  Puppet& operator=(const Puppet&) = delete;
  ~Puppet();  // ends the process

  // Sends a command and returns after its execution.
  void Command(char word);
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  util::UniqueFd to_, from_;
};

}  // namespace truth
