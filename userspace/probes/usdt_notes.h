// SPDX-License-Identifier: BSD-2-Clause
// What sys/sdt.h wrote of its probes into a program: section .note.stapsdt.
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

// Of a 64-bit program; a probe that stands in several places has as many. What is damaged is passed
// over.
std::vector<UsdtNote> ReadUsdtNotes(std::span<const std::byte> section);

// As in "-4@%edi 8@-16(%rbp)"; at most FXR_PROBE_ARGUMENTS.
std::vector<ArgumentType> ParseArgumentTypes(std::string_view text);

}  // namespace probes
