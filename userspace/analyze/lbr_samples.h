// SPDX-License-Identifier: BSD-2-Clause
// Branch stacks and what is needed to name their addresses, out of a trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fxt/reader.h"
#include "perf_data/branch_stack_sample.h"
#include "perf_data/last_branch_blob.h"

namespace analyze {

// Where a process has which file (profiler module and mmap records).
struct ModuleDeclaration {
  fxt::Koid process = 0;
  uint16_t number = 0;
  std::string_view file;
  std::span<const std::byte> build_id;
};
struct MappingDeclaration {
  fxt::Koid process = 0;
  uint16_t module = 0;
  uint64_t start = 0;
  uint64_t size = 0;
  uint64_t file_offset = 0;
};

class LbrVisitor {
 public:
  virtual ~LbrVisitor() = default;
  // In file order; times in ns.
  virtual void OnSample(const perf_data::BranchStackSample& sample) = 0;
  virtual void OnModule(const ModuleDeclaration&) {}
  virtual void OnMapping(const MappingDeclaration&) {}
  virtual void OnKernelObject(const fxt::KernelObject&) {}
  // False stops the reading (nobody listens any more).
  virtual bool WantsMore() const { return true; }
};

// What could not be made sense of; the first of each is worth a message.
struct LbrProblems {
  uint64_t damaged_blobs = 0;
  std::string first_damaged;
};

// Reads to the end of the trace, or until the reader fails (see its error()).
LbrProblems VisitLbr(fxt::Reader& reader, LbrVisitor& visitor);

}  // namespace analyze
