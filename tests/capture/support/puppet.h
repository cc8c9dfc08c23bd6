// SPDX-License-Identifier: BSD-2-Clause
// A process that does what it is told, one word at a time.
#pragma once

#include <sys/types.h>

#include <functional>

#include "util/unique_fd.h"

namespace truth {

class Puppet {
 public:
  // `act` is called in the process, with each word.
  explicit Puppet(const std::function<void(char)>& act);
  Puppet(const Puppet&) = delete;
  Puppet& operator=(const Puppet&) = delete;
  ~Puppet();  // it ends by itself

  // Returns when it has been done.
  void Tell(char word);
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  util::UniqueFd to_, from_;
};

}  // namespace truth
