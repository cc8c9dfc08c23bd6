// SPDX-License-Identifier: BSD-2-Clause
// Looks at the first bytes of an input without consuming them.
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

  // The first bytes, eight at most; empty if they cannot be read without being consumed.
  std::string_view start() const { return start_; }

 private:
  util::UniqueFd fd_;
  std::string start_;
};

// `path` "-" is standard input. Consumes no bytes of a file, pipe or socket; waits for the first
// byte. While the result lives, a pipe can be opened again.
util::Result<PeekedInput> PeekInput(const std::string& path);

}  // namespace source
