// SPDX-License-Identifier: BSD-2-Clause
// Koids as the process and thread numbers of Perfetto, which are of 31 bits.
#pragma once

#include <cstdint>

#include "fxt/format.h"
#include "fxt/id_map.h"
#include "schema/koid.h"

namespace exporting::perfetto {

// A koid of a recording is a tid, and stays one; a reused tid's generation makes it larger. A koid
// that 31 bits do not hold gets a number from 2^30 on, the same each time, as long as there is
// room.
class TaskNumbers {
 public:
  int32_t Of(fxt::Koid koid) {
    if (schema::GenerationOfKoid(koid) == schema::kIdleGeneration && koid <= schema::kMaxKoid) {
      return 0;  // the idle task of a CPU, "swapper"
    }
    if (koid < kFirst) return static_cast<int32_t>(koid);
    const auto found = numbers_.find(koid);
    if (found != numbers_.end()) return found->second;
    const auto number = static_cast<int32_t>(kFirst + numbers_.size() % kFirst);
    if (numbers_.size() < kMaxNumbers) numbers_.emplace(koid, number);
    return number;
  }

 private:
  static constexpr uint32_t kFirst = uint32_t{1} << 30;
  static constexpr size_t kMaxNumbers = size_t{1} << 20;

  fxt::IdMap<int32_t> numbers_;
};

// Whether a koid stands for something other than a task: the tracks of interrupts, devices and the
// recorder. Perfetto shows them as tracks with names, not as processes.
constexpr bool IsPseudo(fxt::Koid koid) {
  return koid <= schema::kMaxKoid &&
         schema::GenerationOfKoid(koid) >= schema::kFirstPseudoGeneration;
}

}  // namespace exporting::perfetto
