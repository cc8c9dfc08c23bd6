// SPDX-License-Identifier: BSD-2-Clause
#include "translate/stacks/mapping_follower.h"

#include <sys/mman.h>

#include "schema/koid.h"

namespace translate {
namespace {

// Flags of the profiler mmap record: 1 read, 2 write, 4 execute.
uint8_t Flags(uint32_t protection) {
  return static_cast<uint8_t>(((protection & PROT_READ) ? 1 : 0) |
                              ((protection & PROT_WRITE) ? 2 : 0) |
                              ((protection & PROT_EXEC) ? 4 : 0));
}

}  // namespace

void MappingFollower::OnMapping(uint64_t time, const perf::MmapRecord& record) {
  if (record.is_exec()) {
    mappings_.OnExec(record.pid);
    executed_.insert(record.pid);
    return;
  }
  if (!(record.protection & PROT_EXEC)) return;
  mappings_.OnMapping(record.kernel ? MappingWriter::kKernel : record.pid,
                      {.start = record.address,
                       .size = record.size,
                       .file_offset = record.file_offset,
                       .flags = Flags(record.protection),
                       .file = record.file,
                       .build_id = record.build_id},
                      time);
}

void MappingFollower::Take(uint32_t tgid, uint32_t pid, uint64_t time) {
  for (const model::ExecutableMapping& mapping : identities_.MappingsOf(tgid)) {
    mappings_.OnMapping(pid,
                        {.start = mapping.start,
                         .size = mapping.size,
                         .file_offset = mapping.file_offset,
                         .flags = Flags(PROT_READ | PROT_EXEC),
                         .file = mapping.file,
                         .build_id = util::BuildId::FromBytes(mapping.build_id)},
                        time);
  }
}

void MappingFollower::Need(uint32_t pid, model::ThreadHandle thread, model::ThreadHandle idle,
                           uint64_t time) {
  if (pid > schema::kTidMask) {
    const model::TaskTable& tasks = file_.tasks();
    pid = tasks.process(tasks.thread(thread).process).tgid;
  }
  if (pid != 0 && !mappings_.HasMappings(pid)) Take(pid, pid, time);
  if (!mappings_.HasMappings(MappingWriter::kKernel)) {
    Take(0, MappingWriter::kKernel, time);
    mappings_.OnSample(MappingWriter::kKernel, idle, time);
  }
  mappings_.OnSample(pid, thread, time);
}

}  // namespace translate
