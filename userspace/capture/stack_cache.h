// SPDX-License-Identifier: BSD-2-Clause
// The stacks that BPF programs told of by their frames, for when they tell of them again by their
// numbers only (bpf/stack.bpf.c).
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "fxt_record/event.h"

namespace capture {

class StackCache {
 public:
  // Of so many the programs are told to forget what they told of.
  static constexpr size_t kMax = 16'384;

  // What the programs send, in order of time. The same event, or the one that it stands for, with
  // its frames; without any where nobody told of them. Valid until the next one.
  const fxr_side_header& Complete(const fxr_side_header& event);
  // Whether it is time for the programs to forget: it goes on with an empty memory, in which those
  // of before are found until the next time, as they may still be told of.
  bool BeginAge();

 private:
  struct Stack {
    uint32_t user_frames = 0;
    std::vector<uint64_t> frames;
  };
  using Stacks = std::unordered_map<uint64_t, Stack>;

  Stacks stacks_;
  Stacks older_;
  std::vector<uint64_t> completed_;
};

}  // namespace capture
