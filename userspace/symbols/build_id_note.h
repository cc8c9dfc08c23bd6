// SPDX-License-Identifier: BSD-2-Clause
// Reads the build id from ELF notes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "util/build_id.h"

namespace symbols {

// The build id in a note section or segment (or in /sys/kernel/notes); empty if there is none.
util::BuildId FindBuildId(std::span<const std::byte> notes);

// The build id of an ELF file; empty if it has none. Nothing if it is no ELF file of this machine's
// byte order. Any user may have made the file: only its header and a limited part of its notes are
// read.
std::optional<util::BuildId> ReadBuildId(int fd);

}  // namespace symbols
