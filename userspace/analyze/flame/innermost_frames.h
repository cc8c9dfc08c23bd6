// SPDX-License-Identifier: BSD-2-Clause
// The frames of a stack that a line of text has.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace analyze {

// Functions of the kernel end with it.
inline constexpr std::string_view kKernelMark = "_[k]";

struct NamedFrame {
  std::string_view name;
  bool of_c_library = false;
};

// Returns the `most` innermost frames of the program, "usleep <- nap (log.c:12) <- main", or of the
// kernel if the stack has no frames of the program. Of the innermost functions of the C library
// only the one that the program called is included. Adjacent frames without a name in the same file
// count as one. `frames` are innermost first.
std::string InnermostFrames(std::span<const NamedFrame> frames, size_t most);

}  // namespace analyze
