// SPDX-License-Identifier: BSD-2-Clause
// The mappings that give addresses a meaning later: those that are told as they are made, and those
// that were there before the recording, which nobody tells of but /proc.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "model/identity_source.h"
#include "model/task_table.h"
#include "perf/record/record_decoder.h"
#include "translate/file/mapping_writer.h"
#include "translate/file/trace_writer.h"

namespace translate {

// Times are ns of the file's clock.
class MappingFollower {
 public:
  MappingFollower(TraceWriter& file, model::IdentitySource& identities)
      : file_(file), identities_(identities), mappings_(file) {}

  // A mapping, or where those of another program begin (MmapRecord::OfExec).
  void OnMapping(uint64_t time, const perf::MmapRecord& record);
  void OnFork(uint32_t parent, uint32_t child) { mappings_.OnFork(parent, child); }
  // The tracepoint comes when the program, its loader and the vDSO are mapped already.
  void OnExec(uint32_t pid) {
    if (executed_.erase(pid) == 0) mappings_.OnExec(pid);
  }
  void OnExit(uint32_t pid) {
    executed_.erase(pid);
    mappings_.OnExit(pid);
  }

  // Addresses of `thread` of process `pid`, or of its own where no process can have that number,
  // come next: the file has what they mean by then. `idle`:
  // any thread of process 0, which the kernel's own mappings are written for.
  void Need(uint32_t pid, model::ThreadHandle thread, model::ThreadHandle idle, uint64_t time);

 private:
  // What `tgid` has mapped now, as mappings of `pid`.
  void Take(uint32_t tgid, uint32_t pid, uint64_t time);

  TraceWriter& file_;
  model::IdentitySource& identities_;
  MappingWriter mappings_;
  // Processes of which perf told that they execute another program, and the tracepoint not yet.
  std::unordered_set<uint32_t> executed_;
};

}  // namespace translate
