// SPDX-License-Identifier: BSD-2-Clause
// Reads the build id from ELF notes.
#pragma once

#include <cstddef>
#include <span>

#include "util/build_id.h"

namespace symbols {

// The build id in a note section or segment (or in /sys/kernel/notes); empty if there is none.
util::BuildId FindBuildId(std::span<const std::byte> notes);

}  // namespace symbols
