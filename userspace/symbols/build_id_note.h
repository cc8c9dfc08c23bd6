// SPDX-License-Identifier: BSD-2-Clause
// ELF notes, as far as the build id is concerned.
#pragma once

#include <cstddef>
#include <span>

#include "util/build_id.h"

namespace symbols {

// The build id in the contents of a note section or segment (or of /sys/kernel/notes, which are
// that); empty if there is none.
util::BuildId FindBuildId(std::span<const std::byte> notes);

}  // namespace symbols
