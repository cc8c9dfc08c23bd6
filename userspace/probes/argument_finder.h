// SPDX-License-Identifier: BSD-2-Clause
// Finds the arguments of functions in a process without rights: any user may have made the program.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "probes/dwarf_arguments.h"
#include "probes/probe_text.h"
#include "symbols/debug_files.h"
#include "symbols/elf_file.h"
#include "util/result.h"

namespace probes {

// The requested arguments of each function.
struct ArgumentQuery {
  std::vector<DwarfArguments::Function> functions;
  std::vector<ValueText> values;
  bool wants_result = false;
  std::string result_type;  // empty: its own type
};

struct FunctionArguments {
  std::vector<ResolvedValue> values;  // in the order of the query
  ResolvedValue result;               // if it is wanted
};

// One element for each function of the query; `file` is that at `path`. Nothing if there is no
// debug information. Errors: its parser did not survive the file, or exceeded its limits.
util::Result<std::optional<std::vector<FunctionArguments>>> FindArguments(
    const std::string& path, const symbols::ElfFile& file, const symbols::DebugFileOptions& options,
    ArgumentQuery query);

// Values as bytes, and back. Untrusted bytes give values that BPF may be given, or none.
std::vector<std::byte> EncodeArguments(std::span<const FunctionArguments> functions);
std::optional<std::vector<FunctionArguments>> DecodeArguments(std::span<const std::byte> bytes,
                                                              const ArgumentQuery& query);

}  // namespace probes
