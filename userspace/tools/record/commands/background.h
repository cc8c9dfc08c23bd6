// SPDX-License-Identifier: BSD-2-Clause
// A controller of its own, where none runs.
#pragma once

#include <string>
#include <vector>

#include "util/result.h"

namespace tools {

// Starts `fxt-record serve --once` in the background, and returns when it serves `socket`. What it
// said until then stands on standard error; an error only when it said nothing.
// `more`: further options of serve.
util::Status StartController(const std::string& socket, const std::vector<std::string>& more);

}  // namespace tools
