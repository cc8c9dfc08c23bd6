// SPDX-License-Identifier: BSD-2-Clause
// Trace Event Format (JSON) from the records of a trace.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "analyze/show/frame_table.h"
#include "analyze/show/imported_fields.h"
#include "facts/linux_state_tracker.h"
#include "facts/task_names.h"
#include "facts/timeline/timeline.h"
#include "fxt/reader.h"
#include "text/json_writer.h"
#include "text/spool.h"
#include "text/text_writer.h"

namespace analyze {

struct TraceEventOptions {
  // Also writes runs as slices (begin and end) on a track per CPU, for readers without support of
  // systemTraceEvents.
  bool cpu_slices = false;
  // Sources of the names of frames.
  LbrSymbolOptions symbols = {};
};

// Writes one object: `traceEvents` in the order of the records; `systemTraceEvents` with switches
// and wakeups as ftrace text, the form that Perfetto and chrome://tracing read; `lastBranch`, if
// there are such blobs, and `stackFrames`, if there are stacks, to which the events refer by `sf`.
// Perfetto stops at properties it does not know, so these come last. Memory grows with the number
// of different stacks only; later parts wait in temporary files.
//
// JSON that was imported is restored, with its fields and task ids, as far as records can hold
// them.
//
// Times are microseconds with three decimals. Ids and pointers are strings, as are numbers beyond
// 2^53. Strings that are not UTF-8 are repaired.
class TraceEventWriter {
 public:
  TraceEventWriter(text::TextWriter& out, TraceEventOptions options);

  // The record that `reader` stands at.
  util::Status Add(const fxt::Reader& reader);
  // After the last record.
  util::Status Finish();

  struct Counts {
    uint64_t events = 0;  // elements of traceEvents that stand for event records
    uint64_t logs = 0;    // log records
    uint64_t switches = 0;
    uint64_t wakeups = 0;
    uint64_t slices = 0;  // of CPUs
    uint64_t branch_stacks = 0;
    // Records of kinds that the format has nothing for: other blobs, userspace objects, profiler
    // records that no stack stands on, unknown ones.
    uint64_t left_out = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  // The facts of the timeline, as slices: runs, and gaps that the recorder shows as such.
  struct Slices {
    TraceEventWriter& writer;
    void OnRun(const facts::Run& run) const;
    void OnGap(const facts::Gap& gap) const;
  };

  void AddEvent(const fxt::Reader& reader, const fxt::Event& event);
  // Arguments of an event that comes from Trace Event JSON, as they were there.
  void ImportedArguments(const ImportedFields& fields, std::span<const fxt::Argument> arguments);
  void AddImportedObject(const fxt::KernelObject& object);
  void AddSample(const fxt::Event& event, uint64_t time, const ImportedFields& fields);
  // True for the process that `fxt import` adds to its files; their JSON has no such process.
  bool IsImporter(fxt::Koid process) const;
  void TakeProperties(const fxt::Event& head);
  void WriteProperties();
  void AddLog(const fxt::Reader& reader, const fxt::Log& log);
  void AddLargeBlob(const fxt::Reader& reader, const fxt::LargeBlobWithMetadata& blob);
  void AddSwitch(const fxt::Reader& reader);
  void AddSlice(const facts::Run& run);
  void AddWakeup(const fxt::Reader& reader);
  void AddBranches(const fxt::Blob& blob);
  void BeginEvent(std::string_view phase, uint64_t time, const fxt::ThreadRef& thread);
  void Arguments(std::span<const fxt::Argument> arguments);
  void MetadataEvent(std::string_view what, uint64_t process, std::optional<uint64_t> thread,
                     std::string_view name);
  // The name of a thread in a line of ftrace.
  std::string TaskName(fxt::Koid thread) const;
  // Appends line_ to the text of `systemTraceEvents`.
  void AppendSystemLine();
  void AppendClockSync(uint64_t time);
  // "name-tid (pid) [cpu] .... time: ", the head of a line of ftrace.
  void BeginSystemLine(std::optional<fxt::Koid> thread, uint32_t cpu, uint64_t time);
  void Names();

  // A new line among the events, of which there is one now.
  text::JsonWriter& Line();

  text::TextWriter& out_;
  TraceEventOptions options_;
  text::JsonWriter events_;
  bool begun_ = false;
  std::string display_unit_ = "ns";
  // Top-level properties of imported files; the texts are JSON or plain.
  std::map<std::string, std::string> properties_;
  text::Spool sample_spool_;
  text::JsonWriter samples_;
  text::Spool system_spool_;
  fmt::memory_buffer line_;
  facts::LinuxStateTracker states_;
  text::Spool branch_spool_;
  text::JsonWriter branches_;
  facts::TaskNames names_;
  ImportedNumbers numbers_;
  FrameTable frames_{options_.symbols};
  Slices slices_{*this};
  facts::Timeline<Slices> timeline_{slices_};  // fed where slices are wanted
  Counts counts_;
};

}  // namespace analyze
