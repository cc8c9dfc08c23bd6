// SPDX-License-Identifier: BSD-2-Clause
// Parses the notes of sys/sdt.h probes: section .note.stapsdt.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probes/probe.h"

namespace probes {

struct UsdtNote {
  std::string provider;
  std::string name;
  std::vector<ArgumentType> arguments;
};

// For 64-bit programs. A probe with several locations has as many notes. Malformed notes are
// skipped.
std::vector<UsdtNote> ReadUsdtNotes(std::span<const std::byte> section);

// Parses "-4@%edi 8@-16(%rbp)"; at most FXR_PROBE_ARGUMENTS.
std::vector<ArgumentType> ParseArgumentTypes(std::string_view text);

}  // namespace probes
