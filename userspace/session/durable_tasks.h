// SPDX-License-Identifier: BSD-2-Clause
// Tracks the tasks at the left edge of a buffer's window. A journal event is applied when it
// becomes older than the window.
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

// Caches identities when events arrive, because a cgroup may be removed before a snapshot needs it.
class KeptIdentities final : public model::IdentitySource {
 public:
  // Reads identities that are not cached from `live`, which outlives this object. Null: cache only.
  explicit KeptIdentities(model::IdentitySource* live)
      : live_(live), script_functions_(live == nullptr ? nullptr : live->script_functions()) {}
  // A copy of the cache for another thread, without `live`.
  std::unique_ptr<KeptIdentities> Copy() const;

  // Caches the identities that a tracker needs for this event.
  void Keep(const fxr_side_header& event);
  // Drops the entries that were not used for a while, if there are too many.
  void Trim();

  model::ProcessText TextOf(uint32_t tgid) override;
  // Not from `live`: another task may have the tid now.
  std::optional<fxr_task> LookUp(uint32_t) override { return std::nullopt; }
  std::string CgroupPath(uint64_t id) override;
  std::string CpuGroupPath(uint64_t id, uint32_t hierarchy) override {
    return hierarchy == 0 ? CgroupPath(id) : proc_.CpuGroupPath(id, hierarchy);
  }
  std::string IrqName(uint32_t irq) override;
  std::string FunctionAt(int64_t address) override { return proc_.FunctionAt(address); }
  std::shared_ptr<model::ScriptFunctions> script_functions() override { return script_functions_; }
  // The mappings at the left edge; see mappings().
  std::vector<model::ExecutableMapping> MappingsOf(uint32_t tgid) override {
    return tgid == 0 ? proc_.KernelMappings() : mappings_.Of(tgid);
  }
  // The mappings at the left edge.
  KeptMappings& mappings() { return mappings_; }

 private:
  model::IdentitySource* live_;
  std::shared_ptr<model::ScriptFunctions> script_functions_;
  capture::ProcIdentity proc_;  // for identities that do not change
  std::unordered_map<uint64_t, std::string> cgroups_;
  std::unordered_map<uint64_t, std::string> older_cgroups_;
  std::unordered_map<uint32_t, std::string> irqs_;
  KeptMappings mappings_;
};

// Applies an event of the journal to `tasks`. `offset`: see capture::EventHandler::OnClockOffset.
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

  // A task that exists at the start.
  void OnSnapshotTask(const fxr_task& task) { tasks_->OnSnapshotTask(task); }
  void EndSnapshot() { tasks_->EndSnapshot(); }
  // Applies an event of the journal that is older than the window.
  void Apply(const fxr_side_header& event);
  // Drops tasks that ended some time before `time`, ns of CLOCK_MONOTONIC.
  void Sweep(uint64_t time);

  // The last task with this tid up to the end of `journal`. The cgroup is missing if the journal
  // has no event of the task.
  std::optional<fxr_task> Find(uint32_t tid, Journal::View journal) const;

  // State after the applied events.
  int64_t clock_offset() const { return clock_offset_; }
  void set_clock_offset(int64_t offset) { clock_offset_ = offset; }
  bool stopped() const { return stopped_; }
  void set_stopped(bool stopped) { stopped_ = stopped; }

 private:
  KeptIdentities identities_;
  std::unique_ptr<model::TaskTracker> tasks_;
  uint64_t forks_ = 0;  // since the history of tids was dropped
  int64_t clock_offset_ = 0;
  bool stopped_ = false;
};

}  // namespace session
