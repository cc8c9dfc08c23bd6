// SPDX-License-Identifier: BSD-2-Clause
// Converts a perf.data file to FXT. Branch stacks become last-branch blobs, other samples instants
// and backtraces, tasks kernel objects, and mappings profiler records. docs/lbr.md describes the
// details.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "branches/branch_stack_writer.h"
#include "fxt/provider_writer.h"
#include "import/perf_tasks.h"
#include "model/task_table.h"
#include "perf/file/file_reader.h"
#include "perf/file/time_order.h"
#include "translate/file/mapping_writer.h"
#include "translate/file/trace_writer.h"
#include "translate/loss_translator.h"
#include "util/result.h"

namespace importer {

struct PerfImportStats {
  uint64_t samples = 0;        // all samples
  uint64_t branch_stacks = 0;  // samples with a branch stack
  uint64_t branches = 0;       // entries of branch stacks, unfilled slots included
  uint64_t lost = 0;           // as reported by the recording
  // Skipped records without a counterpart in FXT, by type.
  std::map<std::string, uint64_t> skipped;
  // Samples with a field that is dropped, by field.
  std::map<std::string, uint64_t> dropped_fields;
  // Records of the input that are malformed.
  uint64_t unreadable = 0;
  std::string first_unreadable;  // the reason for the first one
  uint64_t unknown_events = 0;   // samples whose id belongs to no event
  uint64_t late = 0;             // see perf::TimeOrder
  uint64_t dropped_mappings = 0;
  uint64_t refused_records = 0;  // did not fit the format
  bool truncated = false;        // the input ended early
};

class PerfImporter {
 public:
  // Both must outlive the importer.
  PerfImporter(perf::FileReader& reader, fxt::ProviderWriter& writer);

  // Called every few thousand records with the bytes of the input read so far (as stored, for a
  // compressed file). False stops the import.
  using Progress = std::function<bool(uint64_t bytes)>;
  // Reads to the end of the input. On an error the records before it are written.
  util::Status Run(const Progress& progress = nullptr);

  const PerfImportStats& stats() const { return stats_; }

 private:
  void Take(const perf::FileRecord& raw);
  void DrainOrdered();
  void Handle(const perf::OrderedRecord& ordered);
  void HandleSample(const perf::Record& record, const perf::Sample& sample,
                    const perf::EventDescription& event);
  void HandleMmap(const perf::MmapRecord& mmap);
  void HandleFork(const perf::ForkRecord& fork);
  void HandleThrottle(const perf::Record& record, const perf::ThrottleRecord& throttle);
  void WriteBranchStack(const perf::Sample& sample, const perf::EventDescription& event,
                        model::ThreadHandle thread);
  void WriteInstant(const perf::Sample& sample, const perf::EventDescription& event,
                    model::ThreadHandle thread);
  void WriteBacktrace(const perf::Sample& sample, model::ThreadHandle thread);
  // Writes the properties of the recording. Called before its first sample.
  void WriteHead();
  void CountDroppedFields(const perf::Sample& sample, const perf::EventDescription& event);
  void NoteUnreadable(uint64_t file_offset, const std::string& why);
  util::BuildId BuildIdOf(const std::string& file, bool kernel);

  perf::FileReader& reader_;
  model::TaskTable table_;
  translate::TraceWriter file_;
  PerfTasks tasks_;
  translate::MappingWriter mappings_;
  translate::TranslationStats loss_stats_;
  translate::LossTranslator losses_;
  branches::BranchStackWriter stacks_;
  perf::TimeOrder order_;
  perf::BranchStackSample sample_;
  std::vector<uint64_t> frames_;
  std::map<std::string, util::BuildId> build_ids_;  // by file
  size_t build_ids_taken_ = 0;
  bool head_written_ = false;
  uint64_t time_ = 0;  // of the last record with a time, ns
  PerfImportStats stats_;
};

}  // namespace importer
