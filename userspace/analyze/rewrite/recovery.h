// SPDX-License-Identifier: BSD-2-Clause
// The writing half of `fxt recover`: believed records in, a trace that `fxt check` finds no error
// in out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyze/rewrite/recoverer.h"
#include "analyze/rewrite/trace_copier.h"
#include "facts/cpu_continuity.h"
#include "facts/object_names.h"
#include "facts/scheduling.h"
#include "fxt/reader.h"

namespace analyze {

// What fxt-record promises of several records at once is kept where some are missing: those that
// belong together (a state and its switch, a message and its instant, the three of a loss) are
// written together or not at all, a gap is declared where the threads on a CPU do not follow one
// another, and who is named without a kernel object gets one.
class Recovery {
 public:
  // `names` are those of the records handed to Add(), up to date before each call.
  Recovery(fxt::ByteSink& sink, const facts::ObjectNames& names, RecoverResult& result)
      : copier_(sink), names_(names), continuity_(names), result_(result) {}

  // Bytes before the next record were passed over.
  void OnGap(uint64_t bytes);
  void Add(const fxt::Reader& reader);
  void Finish(const fxt::Reader& reader);

  bool failed() const { return copier_.failed(); }

 private:
  // The records that are held back until the one that completes them has come.
  struct Held {
    enum class Awaits : uint8_t { kNothing, kSwitch, kLossInstant, kLossCounter, kLogInstant };
    Awaits awaits = Awaits::kNothing;
    std::vector<TraceCopier::Prepared> records;
    fxt::Koid thread = 0;
    uint64_t time = 0;
    fxt::ThreadState state = fxt::ThreadState::kNew;
    int32_t cpu = -1;     // of a loss
    bool damage = false;  // it is one that was declared by recovery
  };

  bool Completes(const fxt::Record& record) const;
  void Drop(uint64_t bytes) { OnGap(bytes); }
  void DropHeld();
  void WriteHeld();
  // Of fxt-record's own. False: it does not fit what was written before.
  bool Fits(const fxt::Reader& reader, const fxt::Record& record);
  // What the record says beyond itself: who is on a CPU, what is lost.
  void NoteFacts(const fxt::Reader& reader, const fxt::Record& record);
  // Holds the record back if others have to follow it.
  bool Hold(const fxt::Reader& reader, const fxt::Record& record);
  void BeginSession(const fxt::Reader& reader, const fxt::Record& record);
  void DeclareGap(const fxt::Reader& reader);
  void NameRecorder(const fxt::Reader& reader);
  void Mention(const fxt::Record& record);
  void MentionThread(fxt::Koid thread, std::optional<fxt::Koid> process);
  void NameMentioned();

  TraceCopier copier_;
  const facts::ObjectNames& names_;
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
  std::unordered_map<fxt::Koid, std::optional<fxt::Koid>> threads_;  // mentioned, and their process
  std::unordered_set<fxt::Koid> processes_;
};

}  // namespace analyze
