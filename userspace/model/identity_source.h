// SPDX-License-Identifier: BSD-2-Clause
// The source of names that events do not carry. Queried rarely: at the start, at exec, and for a
// task whose fork was lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fxt_record/event.h"
#include "model/command_line.h"
#include "model/script_functions.h"

namespace model {

// The properties of a process that only /proc has. Any field may be empty.
struct ProcessText {
  std::string executable;  // base name
  CommandLine cmdline;
};

// An executable mapping of a file.
struct ExecutableMapping {
  uint64_t start = 0;        // address
  uint64_t size = 0;         // bytes
  uint64_t file_offset = 0;  // bytes
  std::string file;
  std::vector<std::byte> build_id;  // empty if there is none or it cannot be read
};

class IdentitySource {
 public:
  virtual ~IdentitySource() = default;
  virtual ProcessText TextOf(uint32_t tgid) = 0;
  // The task that has this tid now, if there is one.
  virtual std::optional<fxr_task> LookUp(uint32_t tid) = 0;
  // Path of a cgroup in the default hierarchy, "/" for its root; empty if unknown.
  virtual std::string CgroupPath(uint64_t id) = 0;
  // Path of a group of the cpu controller, whose `id` is one of `hierarchy`; 0: the default one.
  // Empty if unknown.
  virtual std::string CpuGroupPath(uint64_t id, uint32_t hierarchy) {
    return hierarchy == 0 ? CgroupPath(id) : "";
  }
  // Names of an interrupt's handlers, joined with ","; empty if unknown.
  virtual std::string IrqName(uint32_t irq) = 0;
  // The kernel function at this address, of which only the low FXR_FUNCTION_BITS count; empty if
  // unknown.
  virtual std::string FunctionAt(int64_t /*address*/) { return ""; }
  // The interpreted functions that stacks contain; null: none.
  virtual std::shared_ptr<ScriptFunctions> script_functions() { return nullptr; }
  // The current executable mappings of a process. For process 0: the kernel's text, named as perf
  // names it ("[kernel.kallsyms]_text"), with the address of that symbol as the file offset.
  virtual std::vector<ExecutableMapping> MappingsOf(uint32_t tgid) = 0;
};

}  // namespace model
