// SPDX-License-Identifier: BSD-2-Clause
// Decides whether a record of a damaged trace is valid.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyze/check/layout_checker.h"
#include "analyze/rewrite/timestamp_validator.h"
#include "facts/task_names.h"
#include "fxt/reader.h"

namespace analyze {

// A well-formed record can still be overwritten or consist of parts of others. The validator checks
// it against the format and the times around it. For traces of fxt-record it also checks that each
// index is defined once and that each named thread has a kernel object. It does not check state of
// several records, such as the thread on a CPU.
class RecordValidator {
 public:
  // For ReaderOptions::validate.
  fxt::Validity IsPlausible(const fxt::Reader& reader);
  // Reports an accepted record; `time` in nanoseconds if it has one.
  void Note(const fxt::Reader& reader);
  // Reports skipped bytes: definitions may be missing from here on.
  void NoteHole(uint64_t bytes);

  // The names in accepted records.
  const facts::TaskNames& names() const { return names_; }

 private:
  bool HasSoundLayout(const fxt::Reader& reader);
  bool FitsInTime(const fxt::Reader& reader, bool ordered);
  // For definitions and provider records of any writer.
  fxt::Validity OfMetadata(const fxt::Reader& reader, bool recorder);
  fxt::Validity OfDefinition(const fxt::Reader& reader);
  fxt::Validity OfContradiction();
  // True for fxt-record's own records.
  bool IsRecorders(const fxt::Reader& reader) const;
  bool IsObject(const fxt::KernelObject& object) const;
  bool IsEvent(const fxt::Event& event) const;
  bool IsSwitch(const fxt::Reader& reader) const;
  bool IsSide(const fxt::ThreadRef& side, uint8_t priority, uint32_t cpu,
              const fxt::ReaderProvider& provider) const;
  bool IsThread(const fxt::ThreadRef& thread, const fxt::ReaderProvider& provider) const;
  bool IsKnown(fxt::Koid thread) const;
  bool AreArguments(std::span<const fxt::Argument> arguments) const;

  bool sound_ = true;  // the result of layout_
  LayoutChecker layout_{[this](const Finding& finding) {
    if (finding.severity == Severity::kError) sound_ = false;
  }};
  facts::TaskNames names_;
  TimestampValidator recorder_times_;
  TimestampValidator other_times_;
  std::vector<uint64_t> far_ahead_;
  bool hole_ = false;        // there was a gap
  uint64_t hole_bytes_ = 0;  // since the last section record
  int contradictions_ = 0;   // of definitions since then
};

}  // namespace analyze
