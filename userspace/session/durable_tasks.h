// SPDX-License-Identifier: BSD-2-Clause
// The durable part of a buffer: who every task was at the window's left edge. It follows the
// journal at the window's distance.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/proc_identity.h"
#include "fxt_record/event.h"
#include "model/identity_source.h"
#include "model/task_tracker.h"
#include "session/journal.h"
#include "session/kept_mappings.h"

namespace session {

// Answers from memory what was asked when it could be answered: cgroups go away before their events
// leave the window.
class KeptIdentities final : public model::IdentitySource {
 public:
  // Asks `live` about what is not kept, as long as it is there; outlives it then.
  explicit KeptIdentities(model::IdentitySource* live) : live_(live) {}
  // What is kept by now, for another thread; asks nobody.
  std::unique_ptr<KeptIdentities> Copy() const;

  // Asks what a tracker would ask about this event, now.
  void Keep(const fxr_side_header& event);
  // Forgets whatever was not asked for in a while, when there is too much of it.
  void Trim();

  model::ProcessText TextOf(uint32_t tgid) override;
  // Whoever has the tid now need not be who had it then.
  std::optional<fxr_task> LookUp(uint32_t) override { return std::nullopt; }
  std::string CgroupPath(uint64_t id) override;
  std::string IrqName(uint32_t irq) override;
  std::string FunctionAt(int64_t address) override { return proc_.FunctionAt(address); }
  // At the left edge, if anybody asked; see mappings().
  std::vector<model::ExecutableMapping> MappingsOf(uint32_t tgid) override {
    return tgid == 0 ? proc_.KernelMappings() : mappings_.Of(tgid);
  }
  // They follow the journal as the tasks do.
  KeptMappings& mappings() { return mappings_; }

 private:
  model::IdentitySource* live_;
  capture::ProcIdentity proc_;  // for what stays the same
  std::unordered_map<uint64_t, std::string> cgroups_;
  std::unordered_map<uint64_t, std::string> older_cgroups_;
  std::unordered_map<uint32_t, std::string> irqs_;
  KeptMappings mappings_;
};

// What an event of the journal tells of tasks; `offset` as in capture::EventHandler::OnClockOffset.
void ApplyToTasks(const fxr_side_header& event, int64_t offset, model::TaskTracker& tasks);

class DurableTasks {
 public:
  explicit DurableTasks(model::IdentitySource& live) : identities_(&live) { Clear(); }

  void Clear() {
    tasks_ = std::make_unique<model::TaskTracker>(identities_, false);
    identities_.mappings() = {};
  }
  KeptIdentities& identities() { return identities_; }
  const KeptIdentities& identities() const { return identities_; }
  const model::TaskTracker& tasks() const { return *tasks_; }

  // A task that there is.
  void OnSnapshotTask(const fxr_task& task) { tasks_->OnSnapshotTask(task); }
  void EndSnapshot() { tasks_->EndSnapshot(); }
  // The window has left this event of the journal behind.
  void Apply(const fxr_side_header& event);
  // Lets go of tasks that ended a while before `time`, ns of CLOCK_MONOTONIC.
  void Sweep(uint64_t time);

  // Who has or had this tid at the end of the journal; by what was applied alone without the
  // cgroup.
  std::optional<fxr_task> Find(uint32_t tid, Journal::View journal) const;

  // As of the events applied.
  int64_t clock_offset() const { return clock_offset_; }
  void set_clock_offset(int64_t offset) { clock_offset_ = offset; }
  bool stopped() const { return stopped_; }
  void set_stopped(bool stopped) { stopped_ = stopped; }

 private:
  KeptIdentities identities_;
  std::unique_ptr<model::TaskTracker> tasks_;
  int64_t clock_offset_ = 0;
  bool stopped_ = false;
};

}  // namespace session
