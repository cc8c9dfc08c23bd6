// SPDX-License-Identifier: BSD-2-Clause
#include "session/journal_mappings.h"

#include <sys/mman.h>

#include "fxt_record/long_event.h"
#include "session/journal_items.h"
#include "session/kept_mappings.h"

namespace session {

void JournalMappings::Ask(uint32_t tgid, uint64_t time) {
  if (tgid == 0 || !asked_.insert(tgid).second) return;
  if (asked_.size() > KeptMappings::kMaxProcesses) asked_ = {tgid};
  for (const model::ExecutableMapping& mapping : live_.MappingsOf(tgid)) {
    AppendMapping(time, tgid, mapping, journal_);
  }
}

void JournalMappings::OnSideEvent(const fxr_side_header& event) {
  if (!is_wanted_) return;
  if (event.type == FXR_SIDE_LONG) {
    fxr_stack_long stack;
    if (fxr_unpack_stack(&reinterpret_cast<const fxr_long&>(event), &stack)) {
      Ask(stack.tgid, event.time);
    }
  } else if (event.type == FXR_SIDE_EXEC) {
    asked_.erase(reinterpret_cast<const fxr_exec&>(event).tgid);
  } else if (event.type == FXR_SIDE_EXIT) {
    const auto& exit = reinterpret_cast<const fxr_exit&>(event);
    if (exit.tid == exit.tgid) asked_.erase(exit.tgid);
  }
}

void JournalMappings::OnBranchSample(const perf::BranchStackSample& sample) {
  Ask(sample.pid, sample.time);
}

void JournalMappings::OnMapping(uint64_t time, const perf::MmapRecord& record) {
  if (is_wanted_ && (record.protection & PROT_EXEC) != 0) AppendMapping(time, record, journal_);
}

}  // namespace session
