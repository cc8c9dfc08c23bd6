// SPDX-License-Identifier: BSD-2-Clause
// What an input begins with, before it is opened for good.
#pragma once

#include <string>
#include <string_view>

#include "util/result.h"
#include "util/unique_fd.h"

namespace source {

class PeekedInput {
 public:
  PeekedInput(util::UniqueFd fd, std::string start)
      : fd_(std::move(fd)), start_(std::move(start)) {}

  // The first bytes, eight at most; empty where they cannot be looked at without being taken.
  std::string_view start() const { return start_; }

 private:
  util::UniqueFd fd_;
  std::string start_;
};

// `path` "-" is standard input. Takes nothing of a file, a pipe or a socket; waits for its first
// byte. While the answer lives, a pipe can be opened again.
util::Result<PeekedInput> PeekInput(const std::string& path);

}  // namespace source
