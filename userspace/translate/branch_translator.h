// SPDX-License-Identifier: BSD-2-Clause
// Branch stacks: blobs and instants on the sampled threads, and the mappings that give their
// addresses a meaning later.
#pragma once

#include <cstdint>
#include <string>

#include "branches/branch_stack_writer.h"
#include "model/identity_source.h"
#include "model/task_tracker.h"
#include "perf/record/branch_stack_sample.h"
#include "perf/record/record_decoder.h"
#include "translate/file/mapping_writer.h"
#include "translate/file/trace_file.h"
#include "translate/sched_translator.h"
#include "translate/translation_stats.h"

namespace translate {

class BranchTranslator {
 public:
  BranchTranslator(TraceFile& file, model::TaskTracker& tasks, SchedTranslator& sched,
                   model::IdentitySource& identities, TranslationStats& stats)
      : file_(file),
        tasks_(tasks),
        sched_(sched),
        identities_(identities),
        stats_(stats),
        mappings_(file),
        writer_(file.writer()) {}

  // `time` in ns of the file's clock, in place of the sample's own.
  void OnSample(uint64_t time, const perf::BranchStackSample& sample);
  void OnMapping(uint64_t time, const perf::MmapRecord& record);
  void OnFork(uint32_t parent, uint32_t child) { mappings_.OnFork(parent, child); }
  void OnExec(uint32_t pid) { mappings_.OnExec(pid); }
  void OnExit(uint32_t pid) { mappings_.OnExit(pid); }

 private:
  // What `tgid` has mapped now, as mappings of `pid`.
  void TakeMappings(uint32_t tgid, uint32_t pid, uint64_t time);

  TraceFile& file_;
  model::TaskTracker& tasks_;
  SchedTranslator& sched_;
  model::IdentitySource& identities_;
  TranslationStats& stats_;
  MappingWriter mappings_;
  branches::BranchStackWriter writer_;
  perf::BranchStackSample sample_;
};

}  // namespace translate
