// SPDX-License-Identifier: BSD-2-Clause
// Starts a controller in the background.
#pragma once

#include <string>
#include <vector>

#include "util/result.h"

namespace tools {

// Starts `fxt-record serve --once` in the background, and returns when it serves `socket`. Copies
// its messages until then to standard error. The error has no message if the controller printed
// one. `more`: further options of serve.
util::Status StartController(const std::string& socket, const std::vector<std::string>& more);

}  // namespace tools
