// SPDX-License-Identifier: BSD-2-Clause
#include "session/kept_mappings.h"

#include <string>

#include "schema/side_event.h"
#include "session/journal.h"

namespace session {

void KeptMappings::Apply(const fxr_side_header& header) {
  if (header.type == kJournalMapping) return OnMapping(ReadMapping(header));
  schema::VisitSideEvent(header,
                         schema::Overloaded{
                             [this](const fxr_exec& event) { processes_.erase(event.tgid); },
                             [this](const fxr_exit& event) {
                               if (event.tid == event.tgid) processes_.erase(event.tgid);
                             },
                             [](const auto&) {},
                         });
}

void KeptMappings::OnMapping(const perf::MmapRecord& record) {
  // The kernel's mappings are not kept, because they can be read at any time.
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

std::vector<model::ExecutableMapping> KeptMappings::Of(uint32_t tgid) const {
  const auto found = processes_.find(tgid);
  return found == processes_.end() ? std::vector<model::ExecutableMapping>() : found->second;
}

}  // namespace session
