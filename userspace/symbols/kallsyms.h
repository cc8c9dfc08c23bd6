// SPDX-License-Identifier: BSD-2-Clause
// The kernel's functions from /proc/kallsyms.
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
  // Address of _text (or _stext), which reveals the KASLR offset; empty if the list has neither.
  std::optional<uint64_t> text_start;
};

// Parses lines "ffffffff81000000 T _text", with "\t[module]" after the names of modules. Other
// lines are skipped. An error if all addresses are zero, as for an unprivileged reader.
util::Result<Kallsyms> ParseKallsyms(std::string_view text);
util::Result<Kallsyms> ReadKallsyms(const std::string& path);

// The kernel's text from _text to _etext, by a list as above. Reads only as much of the list as
// needed. Empty if the list cannot be read or hides addresses.
struct KernelText {
  uint64_t start = 0;
  uint64_t size = 0;  // bytes
};
std::optional<KernelText> FindKernelText(const std::string& path = "/proc/kallsyms");

// The running kernel's build id, from the notes in sysfs; empty if it cannot be read.
util::BuildId RunningKernelBuildId(const std::string& notes_path = "/sys/kernel/notes");

}  // namespace symbols
