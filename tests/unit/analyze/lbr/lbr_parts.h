// SPDX-License-Identifier: BSD-2-Clause
// Samples and names for the tests of what is made of them.
#pragma once

#include <string_view>
#include <vector>

#include "fxt/record.h"
#include "perf/record/branch_stack_sample.h"
#include "unit/perf/synthetic.h"

namespace analyze::testing {

inline perf::BranchStackSample MakeStack(uint32_t pid, uint32_t tid, uint64_t time,
                                         std::vector<perf::BranchEntry> entries = {}) {
  perf::BranchStackSample sample;
  sample.pid = pid;
  sample.tid = tid;
  sample.time = time;
  sample.entries = std::move(entries);
  return sample;
}

// `text` has to outlive the record.
inline fxt::KernelObject MakeObject(fxt::KernelObjectType type, fxt::Koid koid,
                                    std::string_view text) {
  fxt::KernelObject object;
  object.type = static_cast<uint8_t>(type);
  object.koid = koid;
  object.name.text = text;
  return object;
}

}  // namespace analyze::testing
