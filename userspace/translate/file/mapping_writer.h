// SPDX-License-Identifier: BSD-2-Clause
// Writes executable mappings of sampled processes as profiler module and mmap records, so that
// addresses can be symbolised later or elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "translate/file/trace_writer.h"
#include "util/build_id.h"

namespace translate {

// A file mapping in the kernel's terms.
struct Mapping {
  uint64_t start = 0;        // address
  uint64_t size = 0;         // bytes
  uint64_t file_offset = 0;  // bytes; for the kernel's text the address of its reference symbol
  uint8_t flags = 0;         // 1 read, 2 write, 4 execute, as in the record
  std::string_view file;
  util::BuildId build_id;
};

// Holds the mappings of all processes and writes those of a process at its first sample, because
// most processes are never sampled. Later mappings of that process are written at once. A module (a
// file with a build id) has one number per file and is declared in each process that maps it.
class MappingWriter {
 public:
  // The pid of the kernel's mappings, which are written as those of process 0.
  static constexpr uint32_t kKernel = UINT32_MAX;

  explicit MappingWriter(TraceWriter& file) : file_(file) {}

  // Mappings that are not executable are ignored. `time` is ns of the file's clock.
  void OnMapping(uint32_t pid, const Mapping& mapping, uint64_t time);
  // The child inherits the parent's mappings.
  void OnFork(uint32_t parent, uint32_t child);
  // Drops the mappings of the process.
  void OnExec(uint32_t pid);
  void OnExit(uint32_t pid) { OnExec(pid); }

  // `thread` of process `pid` was sampled. Writes the mappings of the process. For kKernel,
  // `thread` belongs to process 0.
  void OnSample(uint32_t pid, model::ThreadHandle thread, uint64_t time);

  // The file mapped at `address`; empty: none. Valid until the mappings change.
  std::string_view FileAt(uint32_t pid, uint64_t address) const;

  // True if any mapping of the process was received.
  bool HasMappings(uint32_t pid) const { return processes_.count(pid) != 0; }

  uint64_t modules() const { return modules_.size(); }
  uint64_t mappings_written() const { return written_; }
  // Mappings dropped by the limits, which only damaged recordings reach.
  uint64_t dropped() const { return dropped_; }

 private:
  struct Module {
    uint32_t number = 0;
    std::string file;
    util::BuildId build_id;
  };
  struct HeldMapping {
    uint64_t start = 0;
    uint64_t size = 0;
    uint64_t file_offset = 0;
    uint8_t flags = 0;
    uint32_t module = 0;
  };
  // Shared between a parent and its children until one of them changes it.
  using HeldList = std::vector<HeldMapping>;
  struct Process {
    std::shared_ptr<HeldList> held;
    bool sampled = false;
    // The thread of the last sample. It may have exited, and its handle may be reused.
    model::ThreadHandle thread = model::kNoHandle;
    fxt::Koid process_koid = 0;
    fxt::Koid thread_koid = 0;
    std::unordered_set<uint32_t> declared;  // module numbers
  };

  // kNoModule if all numbers are used.
  static constexpr uint32_t kNoModule = UINT32_MAX;
  uint32_t ModuleOf(const Mapping& mapping);
  void Keep(Process& process, const HeldMapping& mapping);
  void Write(Process& process, const HeldMapping& mapping, uint64_t time);
  void SetThread(Process& process, model::ThreadHandle thread);

  TraceWriter& file_;
  std::map<std::pair<std::string, std::string>, uint32_t> module_numbers_;  // by file and build id
  std::vector<Module> modules_;
  std::unordered_map<uint32_t, Process> processes_;
  size_t held_ = 0;  // entries of all lists; shared lists count once
  uint64_t received_ = 0;
  uint64_t written_ = 0;
  uint64_t dropped_ = 0;
};

}  // namespace translate
