// SPDX-License-Identifier: BSD-2-Clause
// Counts stacks by how their user halves end, and by the file that an early end has to do with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fxt_record/event.h"

namespace schema {

class StackEndCounts {
 public:
  // `end`: enum fxr_stack_end. `file`: the name of the file (StackEnd::of_file); empty: not known.
  void Add(uint8_t end, std::string_view file = {});

  uint64_t of(uint8_t end) const { return ends_[end]; }
  // Those whose end is known, and those of them that end early.
  uint64_t all() const;
  uint64_t early() const { return all() - ends_[FXR_STACK_END_ENTRY]; }
  // Why stacks end early, in words, and how many; the most frequent first.
  std::vector<std::pair<std::string, uint64_t>> Reasons() const;
  // "a (2), b (1)": of these the `most` most frequent ones.
  std::string DescribeReasons(size_t most) const;

 private:
  std::array<uint64_t, FXR_STACK_ENDS> ends_{};
  std::map<std::pair<uint8_t, std::string>, uint64_t> files_;
};

}  // namespace schema
