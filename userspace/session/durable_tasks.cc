// SPDX-License-Identifier: BSD-2-Clause
#include "session/durable_tasks.h"

#include <algorithm>
#include <utility>

#include "capture/proc_identity.h"

namespace session {
namespace {

// Many more than a machine has at a time.
constexpr size_t kMaxCgroups = 20'000;

template <typename Event>
const Event& As(const fxr_side_header& header) {
  return reinterpret_cast<const Event&>(header);
}

// What an event tells of the task with this tid: who it is, and how it is called from then on.
void UpdateTask(const fxr_side_header& event, uint32_t tid, std::optional<fxr_task>& task) {
  const auto rename = [&](uint32_t tgid, const char(&comm)[FXR_COMM_BYTES]) {
    if (!task) {
      task.emplace();
      task->tid = tid;
      task->tgid = tgid;
    }
    std::copy_n(comm, FXR_COMM_BYTES, task->comm);
  };
  if (event.type == FXR_SIDE_FORK && As<fxr_task>(event).tid == tid) {
    task = As<fxr_task>(event);
  } else if (event.type == FXR_SIDE_RENAME && As<fxr_rename>(event).tid == tid) {
    rename(As<fxr_rename>(event).tgid, As<fxr_rename>(event).comm);
  } else if (event.type == FXR_SIDE_EXEC && As<fxr_exec>(event).tid == tid) {
    rename(As<fxr_exec>(event).tgid, As<fxr_exec>(event).comm);
    task->cgroup = As<fxr_exec>(event).cgroup;
  }
}

}  // namespace

std::unique_ptr<KeptIdentities> KeptIdentities::Copy() const {
  auto copy = std::make_unique<KeptIdentities>(nullptr);
  copy->cgroups_ = cgroups_;
  copy->older_cgroups_ = older_cgroups_;
  copy->irqs_ = irqs_;
  copy->mappings_ = mappings_;
  return copy;
}

void KeptIdentities::Keep(const fxr_side_header& event) {
  switch (event.type) {
    case FXR_SIDE_FORK:
      CgroupPath(As<fxr_task>(event).cgroup);
      break;
    case FXR_SIDE_EXEC:
      CgroupPath(As<fxr_exec>(event).cgroup);
      break;
    case FXR_SIDE_CGROUP:
      CgroupPath(As<fxr_cgroup>(event).cgroup);
      break;
    default:
      break;
  }
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

void ApplyToTasks(const fxr_side_header& event, int64_t offset, model::TaskTracker& tasks) {
  switch (event.type) {
    case FXR_SIDE_FORK:
      tasks.OnFork(As<fxr_task>(event));
      break;
    case FXR_SIDE_EXEC:
      tasks.OnExec(As<fxr_exec>(event));
      break;
    case FXR_SIDE_RENAME:
      tasks.OnRename(As<fxr_rename>(event));
      break;
    case FXR_SIDE_EXIT:
      tasks.OnExit(event.time + static_cast<uint64_t>(offset), As<fxr_exit>(event));
      break;
    case FXR_SIDE_CGROUP:
      tasks.OnCgroup(As<fxr_cgroup>(event));
      break;
    default:
      break;
  }
}

void DurableTasks::Apply(const fxr_side_header& event) {
  switch (event.type) {
    case kJournalClock:
      clock_offset_ = As<JournalClock>(event).offset;
      break;
    case kJournalStopped:
      stopped_ = true;
      break;
    case kJournalStarted:
      stopped_ = false;
      break;
    default:
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
  tasks_->Sweep(time + static_cast<uint64_t>(clock_offset_));
}

}  // namespace session
