// SPDX-License-Identifier: BSD-2-Clause
// Writes records of providers into a file: validates them, resolves their threads in the task
// table, and gives each provider a section of its own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "fxt/archive_writer.h"
#include "fxt/diagnostic.h"
#include "fxt/provider_writer.h"
#include "fxt/record_parser.h"
#include "provider/record_batch.h"
#include "provider/span_matcher.h"
#include "provider/user_budget.h"
#include "translate/translator.h"

namespace provider {

struct SectionStats {
  uint64_t records = 0;  // written
  uint64_t invalid = 0;  // left out: invalid
  uint64_t cut = 0;      // left out: ends without a begin in the file
  uint64_t lost = 0;     // found no room in the provider's memory or within a limit of the file
  uint64_t refused = 0;  // providers beyond the limit
};

class SectionWriter {
 public:
  // Limit of sections with tables in memory. Beyond it the least recently used one is closed.
  static constexpr size_t kMaxOpenSections = 128;
  // Limits of strings that the table of one section may define: bytes and number. Others are
  // inline.
  static constexpr size_t kSectionStringBytes = size_t{64} << 10;
  static constexpr uint32_t kSectionStrings = 1024;
  // Limits of string bytes: of the tables of open sections, and of all strings that the file
  // defines, which bounds a reader's memory.
  static constexpr size_t kOpenStringBytes = size_t{4} << 20;
  static constexpr size_t kFileStringBytes = size_t{64} << 20;

  // Both outlive the writer and belong to the same file.
  SectionWriter(fxt::ArchiveWriter& archive, translate::Translator& translator)
      : archive_(archive), translator_(translator) {}

  // Call in the order of the entries' times.
  void Write(const RecordBatch& batch, const RecordEntry& entry);
  // Writes the batch's loss at `time`, ns of CLOCK_MONOTONIC.
  void WriteLoss(const RecordBatch& batch, uint64_t time);
  // Writes an instant on the recorder's track.
  void WriteRefusal(const Refusal& refusal);
  // No record of the provider follows: frees its tables and open spans.
  void EndSection(const Identity& identity);

  const SectionStats& stats() const { return stats_; }
  size_t open_sections() const { return sections_.size(); }

 private:
  struct Section {
    fxt::ProviderWriter writer;
    std::unique_ptr<BudgetShare> strings;  // bytes that the table may hold
    uid_t user = 0;
    size_t file_strings = 0;   // bytes of file_strings_
    size_t defined_bytes = 0;  // of them, bytes in use
    uint16_t defined = 0;      // strings; their indexes ascend
    uint64_t lost = 0;
    uint64_t used = 0;  // uses_ at the last use
    // Bytes that the section may still write; grows with the bytes that the provider wrote.
    uint64_t credit = 0;
    // Handles for the writer, by koid. They are small, because the writer's table is indexed by
    // them.
    std::map<fxt::Koid, uint32_t> handles = {};
  };
  Section& SectionOf(const Identity& identity);
  static fxt::StringRef Intern(Section& section, fxt::RecordScope& scope, std::string_view text);
  static fxt::ThreadKey LocalKey(Section& section, fxt::ThreadKey key);
  void Close(std::map<uint32_t, std::unique_ptr<Section>>::iterator section);
  // The thread `tid` if it belongs to the provider's process, else the main thread. Empty if the
  // pid has been reused.
  std::optional<fxt::ThreadKey> KeyOf(const Identity& identity, uint32_t tid);
  bool WriteEvent(const RecordBatch& batch, const RecordEntry& entry, const fxt::Event& event);
  bool WriteBlob(Section& section, const fxt::Event& event);

  fxt::ArchiveWriter& archive_;
  translate::Translator& translator_;
  std::map<uint32_t, std::unique_ptr<Section>> sections_;  // by the provider's id
  std::map<uint32_t, fxt::ThreadKey> main_threads_;        // by the provider's id
  std::shared_ptr<UserBudget> open_strings_ =
      std::make_shared<UserBudget>(kOpenStringBytes, kOpenStringBytes / 4);
  UserBudget file_strings_{kFileStringBytes, kFileStringBytes / 4};
  SpanMatcher spans_;
  fxt::RecordParser parser_;
  fxt::DiagnosticLog log_{0, nullptr};
  uint64_t uses_ = 0;
  SectionStats stats_;
};

}  // namespace provider
