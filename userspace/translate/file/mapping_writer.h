// SPDX-License-Identifier: BSD-2-Clause
// Executable mappings of the processes that were sampled, as profiler module and mmap records, so
// that their branches can be symbolised later or elsewhere.
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

// As the kernel maps a file.
struct Mapping {
  uint64_t start = 0;        // address
  uint64_t size = 0;         // bytes
  uint64_t file_offset = 0;  // bytes; for the kernel's own text the address of the symbol it names
  uint8_t flags = 0;         // 1 read, 2 write, 4 execute: those of the record
  std::string_view file;
  util::BuildId build_id;
};

// What is mapped is told for every process of a recording, and most of them are never sampled. So
// mappings are held until their process is sampled, and written then, at the time of that sample;
// later ones at once. A module (a file with a build id) has one number in the whole file and is
// declared in each process that maps it.
class MappingWriter {
 public:
  // The kernel's mappings, which every process shares, stand under this one and are written as
  // those of process 0.
  static constexpr uint32_t kKernel = UINT32_MAX;

  explicit MappingWriter(TraceWriter& file) : file_(file) {}

  // Mappings that are not executable are not kept. `time` in ns of the file's clock.
  void OnMapping(uint32_t pid, const Mapping& mapping, uint64_t time);
  // The child has what the parent has.
  void OnFork(uint32_t parent, uint32_t child);
  // The process has nothing mapped any more.
  void OnExec(uint32_t pid);
  void OnExit(uint32_t pid) { OnExec(pid); }

  // `thread` of process `pid` was sampled: from here on its mappings are in the file. For kKernel
  // `thread` is one of process 0.
  void OnSample(uint32_t pid, model::ThreadHandle thread, uint64_t time);

  // Whether anything was ever said of this process's mappings.
  bool Knows(uint32_t pid) const { return processes_.count(pid) != 0; }

  uint64_t modules() const { return modules_.size(); }
  uint64_t mappings_written() const { return written_; }
  // Left out because a damaged recording has more than any machine.
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
  // Shared between a parent and its children until one of them maps something.
  using HeldList = std::vector<HeldMapping>;
  struct Process {
    std::shared_ptr<HeldList> held;
    bool sampled = false;
    // The one that was sampled last, which may have ended since: its handle is another's then.
    model::ThreadHandle thread = model::kNoHandle;
    fxt::Koid process_koid = 0;
    fxt::Koid thread_koid = 0;
    std::unordered_set<uint32_t> declared;  // modules
  };

  // kNoModule when all numbers are given out.
  static constexpr uint32_t kNoModule = UINT32_MAX;
  uint32_t ModuleOf(const Mapping& mapping);
  void Keep(Process& process, const HeldMapping& mapping);
  void Write(Process& process, const HeldMapping& mapping, uint64_t time);
  void SetThread(Process& process, model::ThreadHandle thread);

  TraceWriter& file_;
  std::map<std::pair<std::string, std::string>, uint32_t> module_numbers_;  // by file and build id
  std::vector<Module> modules_;
  std::unordered_map<uint32_t, Process> processes_;
  size_t held_ = 0;  // entries of all lists, shared ones once
  uint64_t received_ = 0;
  uint64_t written_ = 0;
  uint64_t dropped_ = 0;
};

}  // namespace translate
