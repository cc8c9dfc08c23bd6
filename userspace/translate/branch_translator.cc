// SPDX-License-Identifier: BSD-2-Clause
#include "translate/branch_translator.h"

#include <sys/mman.h>

namespace translate {
namespace {

// Of a profiler mmap record: 1 read, 2 write, 4 execute.
uint8_t Flags(uint32_t protection) {
  return static_cast<uint8_t>(((protection & PROT_READ) ? 1 : 0) |
                              ((protection & PROT_WRITE) ? 2 : 0) |
                              ((protection & PROT_EXEC) ? 4 : 0));
}

}  // namespace

void BranchTranslator::OnMapping(uint64_t time, const perf::MmapRecord& record) {
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

void BranchTranslator::TakeMappings(uint32_t tgid, uint32_t pid, uint64_t time) {
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

void BranchTranslator::OnSample(uint64_t time, const perf::BranchStackSample& sample) {
  ++stats_.events[FXR_CATEGORY_LBR];
  const uint32_t cpu = sample.cpu.value_or(0);
  const model::ThreadHandle thread =
      sample.tid == 0 ? sched_.IdleOf(cpu) : tasks_.Thread(sample.tid);
  // What was mapped before the capture is told by nobody but /proc.
  if (sample.pid != 0 && !mappings_.Knows(sample.pid)) TakeMappings(sample.pid, sample.pid, time);
  if (!mappings_.Knows(MappingWriter::kKernel)) {
    TakeMappings(0, MappingWriter::kKernel, time);
    mappings_.OnSample(MappingWriter::kKernel, sched_.IdleOf(cpu), time);
  }
  mappings_.OnSample(sample.pid, thread, time);
  sample_ = sample;
  sample_.time = time;
  file_.Note(writer_.Write(sample_, file_.Mention(thread)));
  ++stats_.recorded[FXR_CATEGORY_LBR];
}

}  // namespace translate
