// SPDX-License-Identifier: BSD-2-Clause
// Reads call frame information: the section .eh_frame, or .debug_frame (DWARF 5, 6.4; System V ABI,
// x86-64 supplement; DWARF for the Arm 64-bit Architecture). Any user may have made the file. Each
// byte is read a bounded number of times.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "fxt_record/unwind.h"

namespace unwind {

struct FrameSection {
  std::span<const std::byte> bytes;
  uint64_t address = 0;   // of the first byte, before relocation
  bool is_debug = false;  // .debug_frame
  uint16_t machine = EM_X86_64;
};

// True if the code of this machine, EM_*, can have a table.
bool IsKnownMachine(uint16_t machine);

// `rule` holds from `address` on, up to the next row or the end of the function.
struct FrameRow {
  uint64_t address = 0;
  fxr_unwind_rule rule{};
};

// The rows of one function, by address; the first one is at `begin`. Valid
// during the call. Returns false to end the reading.
using FunctionHandler =
    std::function<bool(uint64_t begin, uint64_t end, std::span<const FrameRow> rows)>;

// Calls `handler` for each function, in the order of the section. Malformed entries are left out;
// rules that the BPF programs cannot apply become FXR_UNWIND_UNSUPPORTED.
void ReadFrameSection(const FrameSection& section, const FunctionHandler& handler);

}  // namespace unwind
