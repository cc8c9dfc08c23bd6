// SPDX-License-Identifier: BSD-2-Clause
#include "session/durable_tasks.h"

#include <algorithm>
#include <utility>

#include "capture/proc_identity.h"
#include "schema/side_event.h"

namespace session {
namespace {

// Limit of cached cgroups, more than a machine has at one time.
constexpr size_t kMaxCgroups = 20'000;
// Forks after which the history of reused tids is dropped.
constexpr uint64_t kForksRemembered = 100'000;

// Applies an event of the journal to `task`, the task with this tid.
void UpdateTask(const fxr_side_header& header, uint32_t tid, std::optional<fxr_task>& task) {
  const auto rename = [&](uint32_t tgid, const char(&comm)[FXR_COMM_BYTES]) {
    if (!task) {
      task.emplace();
      task->tid = tid;
      task->tgid = tgid;
    }
    std::copy_n(comm, FXR_COMM_BYTES, task->comm);
  };
  schema::VisitSideEvent(header, schema::Overloaded{
                                     [&](const fxr_task& event) {
                                       if (event.tid == tid) task = event;
                                     },
                                     [&](const fxr_rename& event) {
                                       if (event.tid == tid) rename(event.tgid, event.comm);
                                     },
                                     [&](const fxr_exec& event) {
                                       if (event.tid != tid) return;
                                       rename(event.tgid, event.comm);
                                       task->cgroup = event.cgroup;
                                     },
                                     [](const auto&) {},
                                 });
}

}  // namespace

std::unique_ptr<KeptIdentities> KeptIdentities::Copy() const {
  auto copy = std::make_unique<KeptIdentities>(nullptr);
  copy->script_functions_ = script_functions_;
  copy->cgroups_ = cgroups_;
  copy->older_cgroups_ = older_cgroups_;
  copy->irqs_ = irqs_;
  copy->mappings_ = mappings_;
  return copy;
}

void KeptIdentities::Keep(const fxr_side_header& header) {
  schema::VisitSideEvent(header, schema::Overloaded{
                                     [this](const fxr_task& event) { CgroupPath(event.cgroup); },
                                     [this](const fxr_exec& event) { CgroupPath(event.cgroup); },
                                     [this](const fxr_cgroup& event) { CgroupPath(event.cgroup); },
                                     [](const auto&) {},
                                 });
}

void KeptIdentities::Trim() {
  if (cgroups_.size() <= kMaxCgroups) return;
  older_cgroups_ = std::exchange(cgroups_, {});
}

model::ProcessText KeptIdentities::TextOf(uint32_t tgid) {
  return live_ ? live_->TextOf(tgid) : model::ProcessText{};
}

std::string KeptIdentities::CgroupPath(uint64_t id) {
  const auto known = cgroups_.find(id);
  if (known != cgroups_.end()) return known->second;
  const auto older = older_cgroups_.find(id);
  if (older != older_cgroups_.end()) return cgroups_.emplace(id, older->second).first->second;
  if (!live_) return "";
  return cgroups_.emplace(id, live_->CgroupPath(id)).first->second;
}

std::string KeptIdentities::IrqName(uint32_t irq) {
  const auto known = irqs_.find(irq);
  if (known != irqs_.end()) return known->second;
  return irqs_.emplace(irq, capture::ProcIdentity().IrqName(irq)).first->second;
}

void ApplyToTasks(const fxr_side_header& header, int64_t offset, model::TaskTracker& tasks) {
  schema::VisitSideEvent(
      header, schema::Overloaded{
                  [&](const fxr_task& event) { tasks.OnFork(event); },
                  [&](const fxr_exec& event) { tasks.OnExec(event); },
                  [&](const fxr_rename& event) { tasks.OnRename(event); },
                  [&](const fxr_exit& event) {
                    tasks.OnExit(event.header.time + static_cast<uint64_t>(offset), event);
                  },
                  [&](const fxr_cgroup& event) { tasks.OnCgroup(event); },
                  [](const auto&) {},
              });
}

void DurableTasks::Apply(const fxr_side_header& event) {
  switch (event.type) {
    case kJournalClock:
      clock_offset_ = reinterpret_cast<const JournalClock&>(event).offset;
      break;
    case kJournalStopped:
      stopped_ = true;
      break;
    case kJournalStarted:
      stopped_ = false;
      break;
    default:
      forks_ += event.type == FXR_SIDE_FORK ? 1 : 0;
      ApplyToTasks(event, clock_offset_, *tasks_);
      identities_.mappings().Apply(event);
      break;
  }
}

std::optional<fxr_task> DurableTasks::Find(uint32_t tid, Journal::View journal) const {
  std::optional<fxr_task> found;
  for (; journal.Front() != nullptr; journal.Pop()) UpdateTask(*journal.Front(), tid, found);
  if (found) return found;
  const model::ThreadHandle handle = tasks_->table().Find(tid);
  if (handle == model::kNoHandle) return std::nullopt;
  const model::Thread& thread = tasks_->table().thread(handle);
  fxr_task task{};
  task.tid = tid;
  task.tgid = tasks_->table().process(thread.process).tgid;
  thread.name.copy(task.comm, FXR_COMM_BYTES - 1);
  return task;
}

void DurableTasks::Sweep(uint64_t time) {
  // Bounds the history of reused tids: 2^22 tids take 16 MiB. No file refers to these koids.
  if (forks_ > kForksRemembered) {
    tasks_->Renumber();
    forks_ = 0;
  }
  tasks_->Sweep(time + static_cast<uint64_t>(clock_offset_));
}

}  // namespace session
