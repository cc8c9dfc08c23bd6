// SPDX-License-Identifier: BSD-2-Clause
// Groups of threads across captures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "measure/capture.h"

namespace comparison {

// The captures of both sides: those of the base first.
using Captures = std::span<const measure::Capture* const>;

// A group across all captures.
struct SharedGroup {
  measure::GroupName name;                        // in the new captures, if it is there
  std::optional<measure::GroupName> former_name;  // in the base, where that is another one
  // The same for people: with their digits where all captures show one name (measure::Group).
  measure::GroupName shown;
  std::optional<measure::GroupName> former_shown;
  bool of_recorder = false;
  // Its position in Capture::groups of each capture; kAbsent where there is none.
  static constexpr uint32_t kAbsent = UINT32_MAX;
  std::vector<uint32_t> at;

  // Null where it is absent.
  const measure::Group* In(Captures captures, size_t capture) const {
    return at[capture] == kAbsent ? nullptr : &captures[capture]->groups[at[capture]];
  }
};

class Groups {
 public:
  // The first `bases` captures are the base.
  Groups(Captures captures, size_t bases);

  // Joins a group that only the base has with one that only the new captures have, where their
  // activity is similar: its thread has another name.
  void MatchRenamed();

  const std::vector<SharedGroup>& all() const { return groups_; }
  // The position in all() of a group of a capture.
  size_t Of(size_t capture, uint32_t group) const { return numbers_[capture][group]; }
  Captures captures() const { return captures_; }
  size_t bases() const { return bases_; }

 private:
  void Number();

  Captures captures_;
  size_t bases_;
  std::vector<SharedGroup> groups_;
  std::vector<std::vector<size_t>> numbers_;
};

}  // namespace comparison
