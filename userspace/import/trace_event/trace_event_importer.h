// SPDX-License-Identifier: BSD-2-Clause
// Converts the Trace Event Format (JSON) to FXT. docs/import.md describes the mapping.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/byte_source.h"
#include "fxt/provider_writer.h"
#include "import/json/json_document.h"
#include "import/trace_event/ftrace_line.h"
#include "import/trace_event/json_tasks.h"
#include "import/trace_event/stack_frames.h"
#include "import/trace_event/stored_event.h"
#include "import/trace_event/string_table.h"
#include "import/trace_event/trace_event_stats.h"
#include "sort/run_sorter.h"
#include "util/result.h"

namespace importer {

// Events are unordered, and names may follow their uses. Therefore Read() stores all events in a
// RunSorter, in memory and then in a temporary file, and Write() writes them in time order. Memory
// is bounded.
class TraceEventImporter final : private JsonListener {
 public:
  explicit TraceEventImporter(size_t sort_memory = sort::RunSorter::kDefaultMemory);

  // Called periodically with the bytes of the text read so far. False stops the import.
  using Progress = JsonDocument::Progress;

  // Reads all of `source`. Fails if it is not in the Trace Event Format, or if the temporary file
  // cannot be written.
  util::Status Read(fxt::ByteSource& source, const Progress& progress = nullptr);
  // Reads the text output of ftrace.
  util::Status ReadFtrace(fxt::ByteSource& source, const Progress& progress = nullptr);
  // Call once after Read() or ReadFtrace().
  util::Status Write(fxt::ArchiveWriter& archive);

  const TraceEventStats& stats() const { return stats_; }
  // Why the input ended early; empty if it did not.
  const std::string& failure() const { return failure_; }

 private:
  bool OnEvent(const TraceEvent& event) override;
  bool OnSample(const TraceEvent& sample) override;
  bool OnSystemEvent(const TraceEvent& event) override;
  bool OnSystemLine(std::string_view line) override;
  bool OnStackFrame(std::string_view id, const TraceEvent& frame) override;
  bool OnProperty(std::string_view name, std::string_view text) override;

  bool OnMetadata(const TraceEvent& event);
  bool OnTimed(const TraceEvent& event);
  // Begins stored_ with thread, names, and the fields without a counterpart in records. Arguments
  // must follow all fields.
  void Begin(const TraceEvent& event);
  // `local`: ids of this kind of event belong to a process by default. `has_place`: its record has
  // an id field.
  void TakeId(const TraceEvent& event, bool local, bool has_place);
  // Keeps ids and their scope as arguments.
  void KeepIds(const TraceEvent& event);
  void TakeStacks(const TraceEvent& event);
  std::string_view Marked(std::string_view name);
  void AddField(std::string_view name, const JsonValue& value);
  void AddArgument(std::string_view name, const JsonValue& value);
  // Adds an argument of the file, with a name that is not mistaken for a field.
  void AddOwnArgument(const JsonMember& argument);
  void AddArguments(const TraceEvent& event);
  bool AddFlow(const TraceEvent& event);
  // A span, counter or instant that a program wrote to trace_marker.
  bool OnMark(const FtraceLine& line, int64_t time);
  bool AddCounter(const TraceEvent& event);
  void MakeRoom();
  void CountUnknown(const TraceEvent& event);
  bool Store(StoredKind kind, int64_t time);
  struct Side {
    uint32_t thread = JsonTasks::kNone;  // kNone: idle
    int priority = 0;
  };
  Side TakeSide(const TraceEvent& event, std::string_view which, uint8_t* state);
  bool StoreSwitch(int64_t time, uint32_t cpu, const Side& out, const Side& in, uint8_t state);
  bool StoreWakeup(int64_t time, uint32_t cpu, uint32_t thread, uint32_t waker);
  StoredText Text(std::string_view text);

  sort::RunSorter sorter_;
  StringTable strings_;
  JsonTasks tasks_;
  StackFrames frames_;
  TraceEventStats stats_;
  std::map<std::string, std::string> properties_;  // by name; short values only
  std::string failure_;
  util::Status status_ = util::Ok();  // of the sorter
  std::optional<int64_t> first_time_;
  int64_t system_offset_ = 0;  // ns from ftrace's clock to the clock of the events

  // The current event.
  StoredEvent stored_;
  std::vector<std::byte> bytes_;
  std::deque<std::string> made_;  // owns texts made by the importer
  std::string json_names_;        // names of arguments that are JSON text, one per line
  EventParser side_parser_;
  bool seen_waking_ = false;
  bool in_ftrace_ = false;  // inside ftrace text, which may be embedded in a page
  size_t property_bytes_ = 0;
};

}  // namespace importer
