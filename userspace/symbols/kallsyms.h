// SPDX-License-Identifier: BSD-2-Clause
// The kernel's functions, as /proc/kallsyms lists them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "symbols/symbol_table.h"
#include "util/build_id.h"
#include "util/result.h"

namespace symbols {

struct Kallsyms {
  SymbolTable functions;
  // Address of _text (or _stext), which shows by how much the kernel was moved at its start; empty
  // if the list has neither.
  std::optional<uint64_t> text_start;
};

// Parses lines "ffffffff81000000 T _text" with "\t[module]" behind the names of modules. Lines of
// another form are passed over. Error: no line has an address that is not zero, as for a reader
// without the right to see them.
util::Result<Kallsyms> ParseKallsyms(std::string_view text);
util::Result<Kallsyms> ReadKallsyms(const std::string& path);

// Where the kernel's text is, from _text to _etext of a list as above. Reads no more of it than it
// has to. Empty if the list cannot be read or hides addresses.
struct KernelText {
  uint64_t start = 0;
  uint64_t size = 0;  // bytes
};
std::optional<KernelText> FindKernelText(const std::string& path = "/proc/kallsyms");

// The running kernel's build id, from the notes in sysfs; empty if it cannot be read.
util::BuildId RunningKernelBuildId(const std::string& notes_path = "/sys/kernel/notes");

}  // namespace symbols
