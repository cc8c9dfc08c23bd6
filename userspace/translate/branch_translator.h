// SPDX-License-Identifier: BSD-2-Clause
// Translates branch stacks into blobs and instants on the sampled threads.
#pragma once

#include <cstdint>
#include <string>

#include "branches/branch_stack_writer.h"
#include "model/task_tracker.h"
#include "perf/record/branch_stack_sample.h"
#include "translate/file/trace_writer.h"
#include "translate/sched_translator.h"
#include "translate/stacks/mapping_follower.h"
#include "translate/translation_stats.h"

namespace translate {

class BranchTranslator {
 public:
  BranchTranslator(TraceWriter& file, SchedTranslator& sched, MappingFollower& mappings,
                   TranslationStats& stats)
      : file_(file), sched_(sched), mappings_(mappings), stats_(stats), writer_(file.writer()) {}

  // `time` is ns of the file's clock and replaces the sample's own.
  void OnSample(uint64_t time, const perf::BranchStackSample& sample);

 private:
  TraceWriter& file_;
  SchedTranslator& sched_;
  MappingFollower& mappings_;
  TranslationStats& stats_;
  branches::BranchStackWriter writer_;
  perf::BranchStackSample sample_;
};

}  // namespace translate
