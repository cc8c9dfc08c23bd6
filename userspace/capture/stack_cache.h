// SPDX-License-Identifier: BSD-2-Clause
// Caches call stacks by id. BPF sends the frames of a stack once and afterwards only its id
// (bpf/stack.bpf.c); Complete() restores the frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "fxt_record/event.h"

namespace capture {

class StackCache {
 public:
  // Entries before BPF is asked to start a new generation.
  static constexpr size_t kMax = 16'384;

  // Takes the events in the order of sending. Returns the event itself, or for an id the event with
  // its frames; without frames if the id is unknown. Valid until the next call.
  const fxr_side_header& Complete(const fxr_side_header& event);
  // Returns true if BPF must start a new generation. The entries of the previous one stay until the
  // next time, because they may still be referred to.
  bool BeginGeneration();

 private:
  struct Stack {
    uint32_t user_frames = 0;
    uint8_t end = FXR_STACK_END_UNKNOWN;
    std::vector<uint64_t> frames;
  };
  using Stacks = std::unordered_map<uint64_t, Stack>;

  Stacks stacks_;
  Stacks older_;
  std::vector<uint64_t> completed_;
};

}  // namespace capture
