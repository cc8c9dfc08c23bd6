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

// The `most` innermost frames of the program, "usleep <- nap (log.c:12) <- main"; of a stack
// without any those of the kernel. Of the C library's functions in which a stack ends it has the
// one that the program called, and of neighbours without a name in one file one. `frames` are
// innermost first.
std::string InnermostFrames(std::span<const NamedFrame> frames, size_t most);

}  // namespace analyze
