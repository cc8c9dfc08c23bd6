// SPDX-License-Identifier: BSD-2-Clause
#include "import/perf_tasks.h"

#include <fmt/format.h>

#include <string>

#include "schema/koid.h"

namespace importer {

using model::kNoHandle;
using model::ThreadHandle;

namespace {

// Higher CPU numbers come from damaged recordings and share one idle task.
constexpr uint32_t kMaxIdleCpus = 8192;

bool IsTid(uint32_t tid) { return tid != 0 && tid <= schema::kTidMask; }

}  // namespace

ThreadHandle PerfTasks::IdleOf(uint32_t cpu) {
  if (cpu > kMaxIdleCpus) cpu = kMaxIdleCpus;
  const auto found = idle_.find(cpu);
  if (found != idle_.end()) return found->second;
  if (idle_process_ == kNoHandle) {
    idle_process_ = table_.PseudoProcess(schema::kIdleProcessKoid, "swapper");
  }
  const ThreadHandle handle =
      table_.PseudoThread(idle_process_, schema::IdleKoid(cpu), fmt::format("swapper/{}", cpu));
  idle_.emplace(cpu, handle);
  return handle;
}

ThreadHandle PerfTasks::Unknown() {
  if (unknown_ == kNoHandle) {
    unknown_ = table_.PseudoThread(table_.PseudoProcess(schema::kUnknownProcessKoid, "unknown"),
                                   schema::kUnknownProcessKoid, "unknown");
  }
  return unknown_;
}

ThreadHandle PerfTasks::Add(uint32_t pid, uint32_t tid, std::string_view name) {
  // Adds the leader first. Added after its threads, it would look like a new process with the same
  // pid.
  if (tid != pid && table_.FindProcess(pid) == kNoHandle) table_.Add(pid, pid, "");
  const ThreadHandle handle = table_.Add(tid, pid, name);
  model::Process& process = table_.process(table_.thread(handle).process);
  // Uses the name of any thread until the leader's own name is known.
  if (process.name.empty() || tid == pid) process.name = name;
  exited_.erase(tid);
  return handle;
}

void PerfTasks::Retire(ThreadHandle handle) { table_.Remove(handle); }

ThreadHandle PerfTasks::Find(uint32_t pid, uint32_t tid) {
  if (!IsTid(tid) || !IsTid(pid)) return kNoHandle;
  const ThreadHandle known = table_.Find(tid);
  if (known == kNoHandle) return Add(pid, tid, "");
  if (table_.process(table_.thread(known).process).tgid == pid) return known;
  // Another process has the tid now. Its FORK record was lost.
  Retire(known);
  return Add(pid, tid, "");
}

ThreadHandle PerfTasks::OnSample(uint32_t pid, uint32_t tid, std::optional<uint32_t> cpu) {
  if (pid == 0 && tid == 0) return IdleOf(cpu.value_or(0));
  const ThreadHandle handle = Find(pid, tid);
  return handle == kNoHandle ? Unknown() : handle;
}

void PerfTasks::OnName(uint32_t pid, uint32_t tid, std::string_view name) {
  ThreadHandle handle = Find(pid, tid);
  if (handle == kNoHandle) return;
  if (exited_.count(tid) != 0) {
    // A new task with a reused tid, whose FORK was not recorded.
    Retire(handle);
    handle = Add(pid, tid, name);
  }
  model::Thread& thread = table_.thread(handle);
  model::Process& process = table_.process(thread.process);
  if (thread.name != name) {
    thread.name = name;
    table_.NotifyThreadChanged(handle);
  }
  if ((tid == pid || process.name.empty()) && process.name != name) {
    process.name = name;
    // A named thread may also have changed the name of its process.
    table_.NotifyProcessChanged(thread.process);
    table_.NotifyThreadChanged(handle);
  }
  file_.Mention(handle);
}

void PerfTasks::OnFork(uint32_t pid, uint32_t tid, uint32_t parent_tid) {
  if (!IsTid(pid) || !IsTid(tid)) return;
  const ThreadHandle parent = IsTid(parent_tid) ? table_.Find(parent_tid) : kNoHandle;
  const std::string name = parent == kNoHandle ? "" : table_.thread(parent).name;
  const ThreadHandle known = table_.Find(tid);
  if (known != kNoHandle) {
    // perf reports existing threads as FORK at its start, and may report a thread created meanwhile
    // twice.
    const bool same_process = table_.process(table_.thread(known).process).tgid == pid;
    if (same_process && exited_.count(tid) == 0) return;
    Retire(known);
  }
  Add(pid, tid, name);
}

void PerfTasks::OnExit(uint32_t tid) {
  if (IsTid(tid) && table_.Find(tid) != kNoHandle) exited_.insert(tid);
}

}  // namespace importer
