// SPDX-License-Identifier: BSD-2-Clause
// Reads branch stacks from a trace, and the mappings that name their addresses.
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

// The files that a process maps (profiler module and mmap records).
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

// Receives the samples of a trace.
class LbrVisitor {
 public:
  virtual ~LbrVisitor() = default;
  // The time of the first record with a time, ns; called before the others.
  virtual void OnStart(uint64_t time) { (void)time; }
  // In file order. Times are in ns.
  virtual void OnSample(const perf::BranchStackSample& sample) = 0;
  virtual void OnModule(const ModuleDeclaration&) {}
  virtual void OnMapping(const MappingDeclaration&) {}
  virtual void OnKernelObject(const fxt::KernelObject&) {}
  // False stops reading.
  virtual bool WantsMore() const { return true; }
};

// Damage in a trace, with the message of the first case.
struct LbrProblems {
  uint64_t damaged_blobs = 0;
  std::string first_damaged;
};

// Assembles samples from the records of a trace.
class LbrWalk {
 public:
  // `visitor` must outlive it.
  explicit LbrWalk(LbrVisitor& visitor) : visitor_(visitor) {}

  // The current record of `reader`.
  void Take(const fxt::Reader& reader);
  // The end of the records. Delivers a sample whose other records did not come.
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

// Reads to the end of the trace, or until the reader fails (see its error()). The source must not
// block.
LbrProblems VisitLbr(fxt::Reader& reader, LbrVisitor& visitor);

}  // namespace analyze
