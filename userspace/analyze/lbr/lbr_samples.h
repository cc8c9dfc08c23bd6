// SPDX-License-Identifier: BSD-2-Clause
// Branch stacks and what is needed to name their addresses, out of a trace.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "branches/last_branch_blob.h"
#include "facts/kernel_sections.h"
#include "fxt/reader.h"
#include "perf/record/branch_stack_sample.h"

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
  // The time of the first record that has one, in ns; before everything else.
  virtual void OnStart(uint64_t time) { (void)time; }
  // In file order; times in ns.
  virtual void OnSample(const perf::BranchStackSample& sample) = 0;
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

// Puts samples together from the records of a trace, which are handed in one after the other.
class LbrWalk {
 public:
  // `visitor` must outlive this.
  explicit LbrWalk(LbrVisitor& visitor) : visitor_(visitor) {}

  // The record that `reader` stands at.
  void Take(const fxt::Reader& reader);
  // No more records: a sample may wait for companions that did not come.
  void Finish();

  const LbrProblems& problems() const { return problems_; }

 private:
  void TakeBlob(const fxt::Reader& reader, const fxt::Blob& blob);
  void Note(const fxt::Reader& reader, const std::string& why);

  LbrVisitor& visitor_;
  facts::KernelSections sections_;
  branches::StackDecoder decoder_;
  bool started_ = false;
  bool pending_ = false;
  uint64_t time_ = 0;
  LbrProblems problems_;
};

// Reads to the end of the trace, or until the reader fails (see its error()). Not for a source that
// may have to be waited for.
LbrProblems VisitLbr(fxt::Reader& reader, LbrVisitor& visitor);

}  // namespace analyze
