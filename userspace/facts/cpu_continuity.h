// SPDX-License-Identifier: BSD-2-Clause
// Checks that a recording is consistent: the thread that leaves a CPU is the one that came there.
//
// The timeline (facts/timeline) accepts any trace. After a declared loss, or when a thread appears
// on another CPU, it takes the thread on the CPU for unknown. The check demands more of the
// recorder: the recorder knows the thread after a loss, may correct a mistaken identity by a later
// end or gap, and may explain a mismatch by a loss of any category.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "facts/scheduling.h"
#include "facts/task_names.h"
#include "fxt/id_map.h"

namespace facts {

// Hand over every switch and every event of fxt-record's own in file order. Offsets are those of
// the records, or anything else that grows with them.
class CpuContinuity {
 public:
  enum class Verdict : uint8_t {
    kFits,
    // A thread that calls exec goes on under the id of its process's leader, whose end has not been
    // seen: a gap declared later on, or that end, has to explain it.
    kTakeOver,
    kBroken,
  };
  // A kTakeOver.
  struct TakeOver {
    uint64_t offset = 0;
    uint32_t cpu = 0;
    fxt::Koid before = 0;  // the thread that came
    fxt::Koid after = 0;   // the one that left
  };

  // `names` must outlive this and be kept up to date.
  explicit CpuContinuity(const TaskNames& names) : names_(names) {}

  // The verdict about the next switch.
  Verdict Judge(const Switch& record) const;
  // Takes note of it.
  void Note(const Switch& record, uint64_t offset);
  // Notes the filters, losses and unseen switches of an event, if it has any.
  void Note(const fxt::Event& event, uint64_t offset);
  // Switches of this CPU may be missing before the next record; of any CPU if `cpu` is negative.
  void DeclareGap(int32_t cpu, uint64_t offset);
  // Part of the file is missing: the thread on a CPU is unknown until its next switch. (A recorder
  // that lost events knows it.)
  void DeclareDamage(uint64_t offset);
  // The recording may omit switches: from now on every switch is consistent, and earlier kTakeOver
  // findings are withdrawn.
  void ExpectNothing();
  bool expects() const { return expects_; }

  // The thread that came to the CPU last.
  std::optional<fxt::Koid> Running(uint32_t cpu) const;
  // The CPU of a thread that was switched in and not out since; empty if unknown.
  std::optional<uint32_t> CpuOf(fxt::Koid thread) const;

  // Takeovers that are not explained yet.
  const std::vector<TakeOver>& take_overs() const { return take_overs_; }

 private:
  struct Cpu {
    std::optional<fxt::Koid> running;
    uint64_t last_switch = 0;  // offset
    bool gap_declared = false;
  };
  struct LastSeen {
    uint64_t offset = 0;
    bool ended = false;
  };

  bool IsLeaderOf(fxt::Koid thread, fxt::Koid leader) const;
  bool MayHaveEnded(fxt::Koid thread) const;
  bool HasEnded(fxt::Koid thread) const;

  const TaskNames& names_;
  bool expects_ = true;
  uint64_t last_gap_ = 0;  // offset of the last record that declares a loss or an unseen switch
  std::map<uint32_t, Cpu> cpus_;
  fxt::IdMap<uint32_t> on_cpu_;     // threads that run, and where
  fxt::IdMap<LastSeen> last_seen_;  // threads that left a CPU
  std::vector<TakeOver> take_overs_;
};

}  // namespace facts
