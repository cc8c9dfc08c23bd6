// SPDX-License-Identifier: BSD-2-Clause
// Writes the output of `fxt recover`: takes valid records and writes a trace without errors of `fxt
// check`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyze/rewrite/recoverer.h"
#include "analyze/rewrite/trace_copier.h"
#include "facts/cpu_continuity.h"
#include "facts/scheduling.h"
#include "facts/task_names.h"
#include "fxt/reader.h"

namespace analyze {

// Restores fxt-record's guarantees about groups of records. Writes records that belong together (a
// state and its switch, a message and its instant, the three of a loss) together or not at all.
// Declares a gap where the threads on a CPU do not follow one another. Adds missing kernel objects.
class Recovery {
 public:
  // `names` are those of the records passed to Add(), updated before each call.
  Recovery(fxt::ByteSink& sink, const facts::TaskNames& names, RecoverResult& result)
      : copier_(sink), names_(names), continuity_(names), result_(result) {}

  // Bytes before the next record were skipped.
  void OnGap(uint64_t bytes);
  void Add(const fxt::Reader& reader);
  void Finish(const fxt::Reader& reader);

  bool failed() const { return copier_.failed(); }

 private:
  // Records that wait for the one that completes their group.
  struct Held {
    enum class Awaits : uint8_t { kNothing, kSwitch, kLossInstant, kLossCounter, kLogInstant };
    Awaits awaits = Awaits::kNothing;
    std::vector<TraceCopier::Prepared> records;
    fxt::Koid thread = 0;
    uint64_t time = 0;
    fxt::ThreadState state = fxt::ThreadState::kNew;
    int32_t cpu = -1;     // of a loss
    bool damage = false;  // a loss declared by an earlier recovery
  };

  bool Completes(const fxt::Record& record) const;
  void Drop(uint64_t bytes) { OnGap(bytes); }
  void DropHeld();
  void WriteHeld();
  // For fxt-record's own records. False if it contradicts the records before it.
  bool Fits(const fxt::Reader& reader, const fxt::Record& record);
  // Tracks the threads on CPUs and the losses.
  void NoteFacts(const fxt::Reader& reader, const fxt::Record& record);
  // Holds the record back if it starts a group.
  bool Hold(const fxt::Reader& reader, const fxt::Record& record);
  void BeginSession(const fxt::Reader& reader, const fxt::Record& record);
  void DeclareGap(const fxt::Reader& reader);
  void NameRecorder(const fxt::Reader& reader);
  void Mention(const fxt::Record& record);
  void MentionThread(fxt::Koid thread, std::optional<fxt::Koid> process);
  void NameMentioned();

  TraceCopier copier_;
  const facts::TaskNames& names_;
  facts::CpuContinuity continuity_;
  RecoverResult& result_;
  Held held_;
  uint64_t sequence_ = 0;  // of records
  uint64_t undeclared_bytes_ = 0;
  bool undeclared_ = false;
  bool have_time_ = false;
  fxt::Ticks last_ticks_ = 0;
  bool recorder_named_ = false;
  bool seen_session_ = false;
  std::map<fxt::Koid, std::optional<fxt::Koid>> threads_;  // named threads and their processes
  std::set<fxt::Koid> processes_;
};

}  // namespace analyze
