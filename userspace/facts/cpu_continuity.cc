// SPDX-License-Identifier: BSD-2-Clause
#include "facts/cpu_continuity.h"

#include <algorithm>

#include "facts/recorder_facts.h"
#include "schema/koid.h"
#include "schema/names.h"

namespace facts {
namespace {

constexpr size_t kMaxTakeOvers = 1024;
constexpr size_t kMaxThreads = size_t{1} << 20;  // threads beyond are not checked

bool Ends(const Switch& record) {
  return record.outgoing_state == fxt::ThreadState::kDying ||
         record.outgoing_state == fxt::ThreadState::kDead;
}

}  // namespace

bool CpuContinuity::IsLeaderOf(fxt::Koid thread, fxt::Koid leader) const {
  const TaskNames::Thread* one = names_.thread(thread);
  const TaskNames::Thread* other = names_.thread(leader);
  return one != nullptr && other != nullptr && one->process && one->process == other->process &&
         ((leader ^ *other->process) & schema::kTidMask) == 0;
}

bool CpuContinuity::HasEnded(fxt::Koid thread) const {
  const auto seen = last_seen_.find(thread);
  return seen != last_seen_.end() && seen->second.ended;
}

bool CpuContinuity::MayHaveEnded(fxt::Koid thread) const {
  const auto seen = last_seen_.find(thread);
  if (seen == last_seen_.end() || seen->second.ended) return true;
  return seen->second.offset < last_gap_ ||
         std::any_of(cpus_.begin(), cpus_.end(),
                     [](const auto& cpu) { return cpu.second.gap_declared; });
}

CpuContinuity::Verdict CpuContinuity::Judge(const Switch& record) const {
  const fxt::Koid left = record.outgoing.thread;
  const auto found = cpus_.find(record.cpu);
  if (!expects_ || found == cpus_.end()) return Verdict::kFits;
  const Cpu& cpu = found->second;
  if (!cpu.running || *cpu.running == left || cpu.gap_declared) return Verdict::kFits;
  // A thread that calls exec takes the id of its process's leader, which has ended by then or
  // exits under the thread's id.
  const bool is_leader = IsLeaderOf(*cpu.running, left);
  if (is_leader && (MayHaveEnded(left) || HasEnded(*cpu.running))) return Verdict::kFits;
  if (Ends(record) && IsLeaderOf(left, *cpu.running)) return Verdict::kFits;
  return is_leader && take_overs_.size() < kMaxTakeOvers ? Verdict::kTakeOver : Verdict::kBroken;
}

void CpuContinuity::Note(const Switch& record, uint64_t offset) {
  const fxt::Koid left = record.outgoing.thread;
  if (Judge(record) == Verdict::kTakeOver) {
    take_overs_.push_back({offset, record.cpu, *cpus_[record.cpu].running, left});
  }
  Cpu& cpu = cpus_[record.cpu];
  if (cpu.running && *cpu.running != left) on_cpu_.erase(*cpu.running);
  cpu.gap_declared = false;
  cpu.last_switch = offset;
  on_cpu_.erase(left);
  if (last_seen_.size() < kMaxThreads || last_seen_.contains(left)) {
    last_seen_[left] = {offset, Ends(record)};
  }
  // The leader has left under the id of the thread that took its place.
  if (Ends(record) && !take_overs_.empty()) {
    std::erase_if(take_overs_, [&](const TakeOver& taken) { return taken.before == left; });
  }
  cpu.running = record.incoming.thread;
  if (!record.incoming.idle) on_cpu_[record.incoming.thread] = record.cpu;
}

void CpuContinuity::Note(const fxt::Event& event, uint64_t offset) {
  if (const auto loss = AsLoss(event)) {
    if (loss->category == schema::kDamage) {
      DeclareDamage(offset);
    } else {
      DeclareGap(loss->cpu.value_or(-1), offset);
    }
  } else if (const auto cpu = AsUnseenSwitch(event)) {
    if (*cpu >= 0) DeclareGap(*cpu, offset);
  } else if ((IsSession(event) && IsFiltered(event)) || IsFilteringTrim(event)) {
    ExpectNothing();
  }
}

void CpuContinuity::DeclareGap(int32_t cpu, uint64_t offset) {
  last_gap_ = offset;
  uint64_t since = 0;  // the offset behind which it may be
  if (cpu < 0) {
    for (auto& [number, state] : cpus_) state.gap_declared = true;
  } else {
    Cpu& state = cpus_[static_cast<uint32_t>(cpu)];
    state.gap_declared = true;
    since = state.last_switch;
  }
  std::erase_if(take_overs_, [&](const TakeOver& taken) { return taken.offset > since; });
}

void CpuContinuity::DeclareDamage(uint64_t offset) {
  DeclareGap(-1, offset);
  on_cpu_.clear();
}

void CpuContinuity::ExpectNothing() {
  expects_ = false;
  take_overs_.clear();
}

std::optional<fxt::Koid> CpuContinuity::Running(uint32_t cpu) const {
  const auto found = cpus_.find(cpu);
  return found == cpus_.end() ? std::nullopt : found->second.running;
}

std::optional<uint32_t> CpuContinuity::CpuOf(fxt::Koid thread) const {
  const auto found = on_cpu_.find(thread);
  return !expects_ || found == on_cpu_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace facts
