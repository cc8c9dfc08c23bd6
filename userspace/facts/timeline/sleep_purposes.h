// SPDX-License-Identifier: BSD-2-Clause
// Keeps the purpose of the last sleep of each thread.
#pragma once

#include <cstdint>

#include "facts/timeline/timeline.h"
#include "facts/timeline/wait_purposes.h"
#include "fxt/id_map.h"
#include "fxt/reader.h"

namespace facts {

// Feed it every record in file order. Memory is bounded by that of the timeline.
class SleepPurposes {
 public:
  SleepPurposes() : timeline_(facts_) {}
  SleepPurposes(const SleepPurposes&) = delete;
  SleepPurposes& operator=(const SleepPurposes&) = delete;

  void Add(const fxt::Reader& reader);
  // The purpose of the thread's last sleep, if it began at `begin` (ns), within the tolerance
  // between two clock readings of one switch; else kUnknown.
  WaitsFor Of(fxt::Koid thread, uint64_t begin) const {
    const Sleep* sleep = Find(thread, begin);
    return sleep == nullptr ? WaitsFor::kUnknown : sleep->purpose;
  }

  struct Sleep {
    uint64_t begin = 0;  // ns
    WaitsFor purpose = WaitsFor::kUnknown;
    bool blocked = false;  // in D
  };
  // The same sleep; null if the thread's last one is another.
  const Sleep* Find(fxt::Koid thread, uint64_t begin) const;

 private:
  struct Facts {
    SleepPurposes& owner;
    void OnRun(const Run& run) const {
      if (run.process) owner.purposes_.NoteProcess(run.index, *run.process);
    }
    void OnWait(const Wait& wait) const {
      const WaitsFor purpose = owner.purposes_.OnWait(wait, owner.timeline_);
      if (wait.kind != WaitKind::kSleep && wait.kind != WaitKind::kBlocked) return;
      owner.sleeps_[wait.thread] = {wait.begin, purpose, wait.kind == WaitKind::kBlocked};
    }
  };

  WaitPurposes purposes_;
  fxt::IdMap<Sleep> sleeps_;  // by thread
  Facts facts_{*this};
  Timeline<Facts> timeline_;
};

}  // namespace facts
