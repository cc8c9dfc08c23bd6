// SPDX-License-Identifier: BSD-2-Clause
#include "session/journal_mappings.h"

#include <sys/mman.h>

#include "fxt_record/long_event.h"
#include "schema/side_event.h"
#include "session/kept_mappings.h"

namespace session {

void JournalMappings::Read(uint32_t tgid, uint64_t time) {
  if (tgid == 0 || !read_.insert(tgid).second) return;
  if (read_.size() > KeptMappings::kMaxProcesses) read_ = {tgid};
  for (const model::ExecutableMapping& mapping : live_.MappingsOf(tgid)) {
    AppendMapping(time, tgid, mapping, journal_);
  }
}

void JournalMappings::OnSideEvent(const fxr_side_header& header) {
  if (!is_wanted_) return;
  schema::VisitSideEvent(header, schema::Overloaded{
                                     [&](const fxr_long& event) {
                                       fxr_stack_long stack;
                                       if (!fxr_unpack_stack(&event, &stack)) return;
                                       Read(stack.tgid, header.time);
                                     },
                                     [this](const fxr_exec& event) { read_.erase(event.tgid); },
                                     [this](const fxr_exit& event) {
                                       if (event.tid == event.tgid) read_.erase(event.tgid);
                                     },
                                     [](const auto&) {},
                                 });
}

void JournalMappings::OnBranchSample(const perf::BranchStackSample& sample) {
  Read(sample.pid, sample.time);
}

void JournalMappings::OnMapping(uint64_t time, const perf::MmapRecord& record) {
  if (is_wanted_ && (record.protection & PROT_EXEC) != 0) AppendMapping(time, record, journal_);
}

}  // namespace session
