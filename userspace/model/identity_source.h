// SPDX-License-Identifier: BSD-2-Clause
// Where the translation asks for names that the events do not carry. Asked rarely: at the start, at
// exec, and for a task whose birth was lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fxt_record/event.h"
#include "model/command_line.h"

namespace model {

// What /proc has about a process that no event tells. Any field may be empty.
struct ProcessText {
  std::string executable;  // base name
  CommandLine cmdline;
};

// A file mapped to be executed.
struct ExecutableMapping {
  uint64_t start = 0;        // address
  uint64_t size = 0;         // bytes
  uint64_t file_offset = 0;  // bytes
  std::string file;
  std::vector<std::byte> build_id;  // empty when it has none or cannot be read
};

class IdentitySource {
 public:
  virtual ~IdentitySource() = default;
  virtual ProcessText TextOf(uint32_t tgid) = 0;
  // Who has this tid now; nothing when nobody has.
  virtual std::optional<fxr_task> LookUp(uint32_t tid) = 0;
  // Path of a cgroup in the default hierarchy, "/" for its root; empty when it cannot be told.
  virtual std::string CgroupPath(uint64_t id) = 0;
  // Names of an interrupt's handlers, joined with ","; empty when the number has none.
  virtual std::string IrqName(uint32_t irq) = 0;
  // The kernel's function that is at this address, of which the low FXR_FUNCTION_BITS count;
  // empty when it cannot be told.
  virtual std::string FunctionAt(int64_t /*address*/) { return ""; }
  // What a process executes from, now. Of process 0 the kernel's own text, named as perf names it
  // ("[kernel.kallsyms]_text") with the address of that symbol in the place of a file offset.
  virtual std::vector<ExecutableMapping> MappingsOf(uint32_t tgid) = 0;
};

}  // namespace model
