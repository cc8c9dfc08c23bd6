// SPDX-License-Identifier: BSD-2-Clause
// Feeds a MappingWriter with the mappings that perf reports, and with those from before the
// recording, which only /proc has.
#pragma once

#include <cstdint>
#include <string_view>
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

  // A new mapping, or an exec (MmapRecord::OfExec).
  void OnMapping(uint64_t time, const perf::MmapRecord& record);
  void OnFork(uint32_t parent, uint32_t child) { mappings_.OnFork(parent, child); }
  // The exec tracepoint fires after the program, its loader and the vDSO were mapped.
  void OnExec(uint32_t pid) {
    if (executed_.erase(pid) == 0) mappings_.OnExec(pid);
  }
  void OnExit(uint32_t pid) {
    executed_.erase(pid);
    mappings_.OnExit(pid);
  }

  // Must be called before addresses of `thread` are written. Writes the mappings of process `pid`,
  // or of the thread's own process if `pid` is not a process id. `idle` is any thread of process 0,
  // to which the kernel's mappings belong.
  void Need(uint32_t pid, model::ThreadHandle thread, model::ThreadHandle idle, uint64_t time);
  // See MappingWriter.
  std::string_view FileAt(uint32_t pid, uint64_t address) const {
    return mappings_.FileAt(pid, address);
  }

 private:
  // Reads the mappings of `tgid` from /proc and adds them to `pid`.
  void Take(uint32_t tgid, uint32_t pid, uint64_t time);

  TraceWriter& file_;
  model::IdentitySource& identities_;
  MappingWriter mappings_;
  // Processes whose exec perf reported before the tracepoint did.
  std::unordered_set<uint32_t> executed_;
};

}  // namespace translate
