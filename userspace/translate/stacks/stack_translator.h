// SPDX-License-Identifier: BSD-2-Clause
// Translates call stacks: one profiler backtrace record for each distinct stack, and an instant for
// each occurrence. docs/stacks.md describes them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fxt_record/long_event.h"
#include "model/task_tracker.h"
#include "schema/stack_end_counts.h"
#include "translate/file/trace_writer.h"
#include "translate/stacks/mapping_follower.h"

namespace translate {

class StackTranslator {
 public:
  // All outlive the translator. `recorder` is the recorder's track.
  StackTranslator(TraceWriter& file, model::TaskTracker& tasks, MappingFollower& mappings,
                  model::ThreadHandle recorder);

  // `time` is ns of the file's clock; `frames` are laid out as in event_table.h. `thread` is the
  // owner, or the track for an event without a thread. `idle`: see MappingFollower::Need().
  void OnStack(uint64_t time, const fxr_stack_long& stack, std::span<const uint64_t> frames,
               model::ThreadHandle thread, model::ThreadHandle idle);
  // How the stacks with a user half end.
  const schema::StackEndCounts& end_counts() const { return end_counts_; }

 private:
  // Limit of stack ids in memory. Beyond it all are dropped, and stacks are written again.
  static constexpr size_t kMaxStacks = 1 << 20;

  // The kernel function that called the scheduler; empty if it has no name.
  std::optional<fxt::StringId> SleepsIn(std::span<const uint64_t> kernel);
  uint64_t WriteStack(uint64_t time, const fxr_stack_long& stack, std::span<const uint64_t> frames,
                      model::ThreadHandle thread);

  // The file in which the user half ends; empty: none.
  std::string_view EndsIn(const fxr_stack_long& stack, std::span<const uint64_t> frames) const;

  // Declares interpreted functions of the stack that are not in the file yet.
  void WriteFunctions(uint64_t time);

  TraceWriter& file_;
  model::TaskTracker& tasks_;
  MappingFollower& mappings_;
  const model::ThreadHandle recorder_;
  std::unordered_set<uint64_t> declared_;  // interpreted functions
  std::unordered_set<uint64_t> emitted_;
  std::vector<uint64_t> addresses_;
  struct Function {
    std::optional<fxt::StringId> name;
    bool schedules = false;
  };
  std::unordered_map<uint64_t, Function> functions_;  // kernel functions by address
  fxt::StringId off_, wake_, on_, stack_, away_, woken_, in_, end_, end_in_;
  schema::StackEndCounts end_counts_;
  std::array<fxt::StringId, FXR_STACK_ENDS> ends_;  // by enum fxr_stack_end
};

}  // namespace translate
