// SPDX-License-Identifier: BSD-2-Clause
#include "session/kept_mappings.h"

#include <string>

#include "session/journal_items.h"

namespace session {

void KeptMappings::Apply(const fxr_side_header& event) {
  if (event.type == FXR_SIDE_EXEC) {
    processes_.erase(reinterpret_cast<const fxr_exec&>(event).tgid);
  } else if (event.type == FXR_SIDE_EXIT) {
    const auto& exit = reinterpret_cast<const fxr_exit&>(event);
    if (exit.tid == exit.tgid) processes_.erase(exit.tgid);
  } else if (event.type == kJournalMapping) {
    const perf::MmapRecord record = ReadMapping(event);
    // Those of the kernel can be asked at any time.
    if (record.kernel) return;
    if (processes_.size() >= kMaxProcesses) processes_.clear();
    std::vector<model::ExecutableMapping>& mappings = processes_[record.pid];
    std::erase_if(mappings, [&record](const model::ExecutableMapping& old) {
      return old.start < record.address + record.size && record.address < old.start + old.size;
    });
    const auto build_id = record.build_id.view();
    mappings.push_back({.start = record.address,
                        .size = record.size,
                        .file_offset = record.file_offset,
                        .file = std::string(record.file),
                        .build_id = {build_id.begin(), build_id.end()}});
  }
}

std::vector<model::ExecutableMapping> KeptMappings::Of(uint32_t tgid) const {
  const auto found = processes_.find(tgid);
  return found == processes_.end() ? std::vector<model::ExecutableMapping>() : found->second;
}

}  // namespace session
