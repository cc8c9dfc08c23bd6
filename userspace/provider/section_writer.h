// SPDX-License-Identifier: BSD-2-Clause
// Records of providers as records of a file: checked, with threads as the kernel's side of the file
// knows them, in a section of their own for each provider.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "facts/span_tracker.h"
#include "fxt/archive_writer.h"
#include "fxt/diagnostic.h"
#include "fxt/provider_writer.h"
#include "fxt/record_parser.h"
#include "provider/record_batch.h"
#include "translate/translator.h"

namespace provider {

struct SectionStats {
  uint64_t records = 0;  // written
  uint64_t invalid = 0;  // left out: they say what cannot be
  uint64_t cut = 0;      // left out: ends of what began before the file
  uint64_t lost = 0;     // that providers had no room for
};

class SectionWriter {
 public:
  // Both outlive it, and are those of one file.
  SectionWriter(fxt::ArchiveWriter& archive, translate::Translator& translator)
      : archive_(archive), translator_(translator) {}

  // In the order of their times.
  void Write(const RecordBatch& batch, const RecordEntry& entry);
  // That `batch` was not all there was, as of `time`, ns of CLOCK_MONOTONIC.
  void WriteLoss(const RecordBatch& batch, uint64_t time);

  const SectionStats& stats() const { return stats_; }

 private:
  struct Section {
    Section(fxt::ArchiveWriter& archive, const std::string& name);
    fxt::ProviderWriter writer;
    uint64_t lost = 0;
  };

  Section& SectionOf(const Identity& identity);
  fxt::ThreadKey KeyOf(const Identity& identity, uint32_t tid);
  bool WriteEvent(const RecordBatch& batch, const RecordEntry& entry, const fxt::Event& event);
  static bool WriteBlob(Section& section, const fxt::Event& event);

  fxt::ArchiveWriter& archive_;
  translate::Translator& translator_;
  std::map<uint32_t, std::unique_ptr<Section>> sections_;  // by the provider's id
  facts::SpanTracker spans_;
  fxt::RecordParser parser_;
  fxt::DiagnosticLog log_{0, nullptr};
  SectionStats stats_;
};

}  // namespace provider
