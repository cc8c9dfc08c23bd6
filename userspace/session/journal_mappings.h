// SPDX-License-Identifier: BSD-2-Clause
// Writes the executable mappings of each process with a recorded stack into a journal. Reads them
// from /proc while the process lives.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "fxt_record/event.h"
#include "model/identity_source.h"
#include "perf/record/branch_stack_sample.h"
#include "perf/record/record_decoder.h"
#include "session/journal.h"

namespace session {

class JournalMappings {
 public:
  // `journal` and `live` outlive this object. `is_wanted`: the recording has addresses.
  JournalMappings(Journal& journal, model::IdentitySource& live, bool is_wanted)
      : journal_(journal), live_(live), is_wanted_(is_wanted) {}

  bool is_wanted() const { return is_wanted_; }
  // Called before the event is appended to the journal.
  void OnSideEvent(const fxr_side_header& event);
  void OnBranchSample(const perf::BranchStackSample& sample);
  // Appends the mapping. `time`: ns of CLOCK_MONOTONIC.
  void OnMapping(uint64_t time, const perf::MmapRecord& record);
  // Reads all mappings again: events of new mappings were missed.
  void ReadAgain() { read_.clear(); }

 private:
  void Read(uint32_t tgid, uint64_t time);

  Journal& journal_;
  model::IdentitySource& live_;
  const bool is_wanted_;
  std::unordered_set<uint32_t> read_;  // processes whose mappings were read
};

}  // namespace session
