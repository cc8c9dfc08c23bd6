// SPDX-License-Identifier: BSD-2-Clause
#include "session/settings_source.h"

#include <utility>

#include "schema/side_event.h"
#include "util/clock.h"

namespace session {
namespace {

// A new process often executes a program at once, whose settings are read then. ns.
constexpr uint64_t kForkDelay = 250'000'000;
// Limit of `asked_`. Beyond it the set is cleared, and processes are read again.
constexpr size_t kMostProcesses = size_t{1} << 18;

}  // namespace

void SettingsSource::Start(uint32_t command) {
  if (!wanted() || collector_) return;
  command_ = command;
  if (command != 0) tree_.insert(command);
  collector_.emplace();
  collector_->Start();
}

void SettingsSource::OnStarted() {
  if (!collector_ || command_ == 0) return;
  asked_.insert(command_);
  awaits_exec_ = true;
  if (const auto number = capture_.ProcNumber(command_)) {
    collector_->AwaitCommand(*number, command_);
  }
}

settings::ProcessUse SettingsSource::UseOf(uint32_t tgid) const {
  if (tgid == command_) return settings::ProcessUse::kCommand;
  return tree_.contains(tgid) ? settings::ProcessUse::kTree : settings::ProcessUse::kOther;
}

void SettingsSource::AskNow(uint32_t tgid, uint64_t delay) {
  if (asked_.size() >= kMostProcesses) asked_.clear();
  asked_.insert(tgid);
  if (const auto number = capture_.ProcNumber(tgid)) {
    collector_->AskProcess(*number, tgid, UseOf(tgid), delay);
  }
}

void SettingsSource::Ask(uint32_t tgid) {
  if (collector_ && !asked_.contains(tgid)) AskNow(tgid, 0);
}

void SettingsSource::OnSnapshotTask(const fxr_task& task) {
  const bool is_process = task.tid == task.tgid && (task.flags & FXR_TASK_KTHREAD) == 0;
  // Not the command, which has not executed its program yet.
  if (collector_ && reads_all_ && is_process && task.tgid != command_) Ask(task.tgid);
}

void SettingsSource::OnSideEvent(const fxr_side_header& event) {
  if (!collector_) return;
  schema::VisitSideEvent(event, schema::Overloaded{[this](const fxr_task& task) { OnFork(task); },
                                                   [this](const fxr_exec& exec) { OnExec(exec); },
                                                   [this](const fxr_exit& exit) { OnExit(exit); },
                                                   [](const auto&) {}});
}

void SettingsSource::OnFork(const fxr_task& task) {
  if (task.tid != task.tgid || (task.flags & FXR_TASK_KTHREAD) != 0) return;
  if (tree_.contains(task.ppid) && tree_.size() < kMostProcesses) tree_.insert(task.tgid);
  if (reads_all_ && (task.header.flags & FXR_SIDE_NAMES_ONLY) == 0) AskNow(task.tgid, kForkDelay);
}

void SettingsSource::OnExec(const fxr_exec& event) {
  if ((event.header.flags & FXR_SIDE_NAMES_ONLY) != 0) return;
  // AwaitCommand() reads the command's first program.
  if (event.tgid == command_ && std::exchange(awaits_exec_, false)) return;
  AskNow(event.tgid, 0);
}

void SettingsSource::OnExit(const fxr_exit& event) {
  if (event.tid != event.tgid) return;
  tree_.erase(event.tgid);
  asked_.erase(event.tgid);
  collector_->Drop(event.tgid);
}

std::vector<settings::ReadSettings> SettingsSource::Take(uint64_t until) {
  if (!collector_) return {};
  const uint64_t ahead = capture_.Now() - util::MonotonicNow();
  auto taken = collector_->Take(until == UINT64_MAX ? until : until - ahead);
  for (settings::ReadSettings& each : taken) each.time += ahead;
  return taken;
}

std::vector<settings::ReadSettings> SettingsSource::Refresh(uint64_t timeout) {
  if (collector_) collector_->Refresh(timeout);
  return Take();
}

}  // namespace session
