// SPDX-License-Identifier: BSD-2-Clause
// What the recorder keeps to in what it says of call stacks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fxt/id_map.h"
#include "fxt/record.h"

namespace analyze {

class StackRules {
 public:
  // The error, or an empty text: an instant of category "stack" has a kind of the recorder's, names
  // a stack that a backtrace before it has, says for how long the sleeper was away (off, wake) and
  // who is woken (wake). A `symbol` names a function and where it is.
  std::optional<std::string> Check(const fxt::Record& record);

 private:
  // Limit of stacks in memory. Further stacks are not checked.
  static constexpr size_t kMaxStacks = size_t{1} << 20;

  fxt::IdSet known_;
};

}  // namespace analyze
