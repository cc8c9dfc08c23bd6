// SPDX-License-Identifier: BSD-2-Clause
// Whether a record of a damaged trace can be what was written.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyze/check/layout_checker.h"
#include "analyze/rewrite/timestamp_validator.h"
#include "facts/object_names.h"
#include "fxt/reader.h"

namespace analyze {

// A record of the right shape can still have been overwritten, or be made of parts of others. It is
// held against the format, against the times around it and, if fxt-record wrote it, against what
// that program promises of a record and of definitions: each index is defined once, and whoever is
// named has a kernel object. What concerns several records (who is on a CPU) is not asked here.
class RecordValidator {
 public:
  // For ReaderOptions::validate.
  fxt::Validity IsPlausible(const fxt::Reader& reader);
  // Of a record that was believed; `time` in nanoseconds if it has one.
  void Note(const fxt::Reader& reader);
  // Bytes were passed over: definitions may be missing from here on.
  void NoteHole(uint64_t bytes);

  // Of believed records.
  const facts::ObjectNames& names() const { return names_; }

 private:
  bool HasSoundLayout(const fxt::Reader& reader);
  bool FitsInTime(const fxt::Reader& reader, bool ordered);
  // For definitions and provider records of any writer.
  fxt::Validity OfMetadata(const fxt::Reader& reader, bool recorder);
  fxt::Validity OfDefinition(const fxt::Reader& reader);
  fxt::Validity OfContradiction();
  // fxt-record's own records.
  bool IsRecorders(const fxt::Reader& reader) const;
  bool IsObject(const fxt::KernelObject& object) const;
  bool IsEvent(const fxt::Event& event) const;
  bool IsSwitch(const fxt::Reader& reader) const;
  bool IsSide(const fxt::ThreadRef& side, uint8_t priority, uint32_t cpu,
              const fxt::ReaderProvider& provider) const;
  bool IsThread(const fxt::ThreadRef& thread, const fxt::ReaderProvider& provider) const;
  bool IsKnown(fxt::Koid thread) const;
  bool AreArguments(std::span<const fxt::Argument> arguments) const;

  bool sound_ = true;  // what layout_ has found
  LayoutChecker layout_{[this](const Finding& finding) {
    if (finding.severity == Severity::kError) sound_ = false;
  }};
  facts::ObjectNames names_;
  TimestampValidator recorder_times_;
  TimestampValidator other_times_;
  std::vector<uint64_t> far_ahead_;
  bool hole_ = false;        // there was one
  uint64_t hole_bytes_ = 0;  // since the last section record
  int contradictions_ = 0;   // of definitions since then
};

}  // namespace analyze
