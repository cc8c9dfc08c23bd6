// SPDX-License-Identifier: BSD-2-Clause
// Writes the records of a JSON file in time order.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "facts/span_tracker.h"
#include "fxt/provider_writer.h"
#include "import/trace_event/json_tasks.h"
#include "import/trace_event/stack_frames.h"
#include "import/trace_event/stored_event.h"
#include "import/trace_event/string_table.h"
#include "import/trace_event/trace_event_stats.h"

namespace importer {

// Limit of a text, which leaves room in a record for other strings.
inline constexpr size_t kMaxTextBytes = 30'000;
// Limit of a text if a record was too long: fifteen names and values of this length fit.
inline constexpr size_t kShortTextBytes = 1000;

// Drops ends without a begin, because viewers would end another span with them.
class RecordWriter {
 public:
  // All references must outlive the writer. `tasks` must have koids. `start`: time of the first
  // event, ns. `moved`: ns to add to all times.
  RecordWriter(fxt::ArchiveWriter& archive, const StringTable& strings, const JsonTasks& tasks,
               const StackFrames& frames, int64_t start, int64_t moved, TraceEventStats& stats);

  // Writes the properties of the file.
  void WriteHead(const std::map<std::string, std::string>& properties);
  void Write(int64_t time, std::span<const std::byte> stored);
  // Call after the last event.
  void Finish();

 private:
  static constexpr uint32_t kNoSpan = UINT32_MAX;
  struct OpenSpan {
    uint32_t below = kNoSpan;  // enclosing span of the thread; in a free entry, the next free one
    uint32_t category = StringTable::kNone;
    uint32_t name = StringTable::kNone;
    std::string category_text;
    std::string name_text;
  };
  struct OpenSpans {
    uint32_t top = kNoSpan;
    uint64_t more = 0;  // further open spans, which are not kept
  };
  struct Complete {
    uint64_t duration = 0;
    std::vector<std::byte> bytes;
  };

  void WriteNow(StoredEvent& event);
  void WriteCompletes();
  void WriteComplete(StoredEvent& event);
  // Writes the ends of overlapping complete events up to a time, ns.
  void WriteAsyncEnds(uint64_t until);
  void WriteEvent(fxt::EventType type, const StoredEvent& event);
  // True if this flow comes from fields of a span ("flow_in"). `fxt json` writes the fields
  // instead.
  bool IsOfSpan(const StoredEvent& event) const;
  void WriteSwitch(const StoredEvent& event);
  void WriteWakeup(const StoredEvent& event);
  void WriteBegin(const StoredEvent& event);
  void WriteEnd(StoredEvent& event);
  void WriteFlowEnds(uint32_t thread);
  // Keeps the phase as an argument if the record's type does not imply it.
  void KeepPhase(StoredEvent& event, fxt::EventType type);
  // The record type that is valid at this point; empty if there is none.
  std::optional<fxt::EventType> FitSpan(fxt::EventType type, const StoredEvent& event);
  // `at`: the first element of scratch_ to use.
  void Convert(fxt::RecordScope& scope, const StoredArgument& argument, size_t at,
               fxt::Argument& made);
  fxt::StringRef Refer(fxt::RecordScope& scope, const StoredText& text, size_t at);
  std::string_view TextOf(const StoredText& text) const {
    return text.number == StringTable::kNone ? text.text : strings_.TextOf(text.number);
  }
  // The handle of the importer's own thread, after those of all threads.
  uint32_t OwnHandle() const { return static_cast<uint32_t>(tasks_.threads().size()); }
  fxt::ThreadKey KeyOf(uint32_t thread);
  fxt::ThreadKey IdleOf(uint16_t cpu);
  void AddMetadata(const JsonTasks::Metadata& metadata, std::span<fxt::Argument> arguments,
                   size_t& count);
  void WriteProcessObject(uint32_t process);
  void WriteThreadObject(uint32_t thread);
  // Writes kernel objects of named tasks without events.
  void WriteUnusedTasks();
  void Note(fxt::EncodeStatus status) {
    if (status != fxt::EncodeStatus::kOk) ++stats_.refused;
  }

  const StringTable& strings_;
  const JsonTasks& tasks_;
  const StackFrames& frames_;
  TraceEventStats& stats_;
  int64_t start_;
  int64_t moved_;
  fxt::ProviderWriter provider_;
  std::vector<std::optional<fxt::StringId>> ids_;  // by string number
  fxt::StringId waker_;
  std::vector<bool> written_threads_;
  std::vector<bool> written_processes_;
  std::vector<bool> written_idle_;  // by CPU

  uint64_t time_ = 0;             // of the current record, ns
  std::vector<OpenSpans> spans_;  // by thread
  std::vector<OpenSpan> open_span_pool_;
  uint32_t free_spans_ = kNoSpan;  // of open_span_pool_
  size_t open_spans_ = 0;
  facts::SpanTracker tracker_;  // of async operations and flows
  // Complete events of equal time, written longest first, so that parents precede children.
  std::vector<Complete> completes_;
  size_t complete_count_ = 0;
  int64_t complete_time_ = 0;
  std::vector<std::vector<uint64_t>> complete_ends_;  // of open complete events, by thread, ns
  struct AsyncEnd {
    uint64_t time = 0;  // ns
    std::vector<std::byte> bytes;
    bool operator<(const AsyncEnd& other) const { return time > other.time; }  // earliest first
  };
  std::vector<AsyncEnd> async_ends_;  // a heap
  // Flow ends that wait for the next span of their thread.
  std::unordered_map<uint32_t, std::vector<std::vector<std::byte>>> flow_ends_;
  size_t waiting_flow_ends_ = 0;
  std::unordered_map<uint16_t, uint32_t> running_;  // thread by CPU

  StoredEvent event_;  // current event
  std::array<fxt::Argument, fxt::kMaxArguments> arguments_;
  std::string kept_id_;
  size_t max_text_ = 0;                                          // bytes of a text
  std::array<std::string, 2 + 2 * fxt::kMaxArguments> scratch_;  // repaired texts
};

}  // namespace importer
