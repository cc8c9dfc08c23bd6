// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/flame/innermost_frames.h"

#include <vector>

namespace analyze {

std::string InnermostFrames(std::span<const NamedFrame> frames, size_t most) {
  std::vector<NamedFrame> user;
  std::vector<NamedFrame> kernel;
  for (const NamedFrame& frame : frames) {
    if (frame.name.ends_with(kKernelMark)) {
      kernel.push_back(frame);
      kernel.back().name.remove_suffix(kKernelMark.size());
    } else if (user.size() == 1 && user.front().of_c_library && frame.of_c_library) {
      user.front() = frame;
    } else if (!user.empty() && frame.name.starts_with('[') && frame.name == user.back().name) {
      continue;
    } else {
      user.push_back(frame);
    }
  }
  std::string text;
  for (const NamedFrame& frame : user.empty() ? kernel : user) {
    if (most-- == 0) break;
    if (!text.empty()) text += " <- ";
    text += frame.name;
  }
  return text;
}

}  // namespace analyze
