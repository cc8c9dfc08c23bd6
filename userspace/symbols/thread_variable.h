// SPDX-License-Identifier: BSD-2-Clause
// Where a program finds a thread-local variable that one of its files exports.
#pragma once

#include <cstdint>
#include <string_view>

#include "symbols/elf_file.h"

namespace symbols {

// Trivially copyable, without padding: it passes from one process to another.
struct ThreadVariable {
  // How the variable is found from the thread pointer, by the model of thread-local storage.
  enum class Model : uint64_t {
    kNone = 0,      // the file does not export it, or no relocation leads to it
    kOffset,        // `add` is the offset (local-exec: the variable of an executable)
    kOffsetInSlot,  // the slot has the offset (initial-exec)
    kDescriptor,    // the slot is a TLS descriptor: a function and its argument
    kIndex,         // the slot has the module's number and the offset in its block
    kModuleInSlot,  // the slot has the module's number; `add` is the offset in its block
  };
  Model model = Model::kNone;
  // The address of the slot, which the dynamic linker fills, counted from where byte 0 of the file
  // would be mapped with the code.
  uint64_t slot = 0;
  int64_t add = 0;  // to what the slot says

  bool empty() const { return model == Model::kNone; }
};
static_assert(sizeof(ThreadVariable) == 24);

// Looks in the dynamic symbols and relocations of a file for x86-64; empty for others. Any user may
// have made the file.
ThreadVariable FindThreadVariable(const ElfFile& file, std::string_view name);

}  // namespace symbols
