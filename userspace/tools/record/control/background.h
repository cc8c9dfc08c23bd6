// SPDX-License-Identifier: BSD-2-Clause
// A controller of its own, where none runs.
#pragma once

#include <string>

#include "util/result.h"

namespace tools {

// Starts `fxt-record serve --once` in the background, and returns when it serves `socket`. What it
// said until then stands on standard error; an error only when it said nothing.
util::Status StartController(const std::string& socket);

}  // namespace tools
