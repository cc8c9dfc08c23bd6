// SPDX-License-Identifier: BSD-2-Clause
// What the tools say on standard error.
#pragma once

#include <string_view>

#include "util/result.h"

namespace tools {

// As it is. That nobody can be told is no reason to stop: the terminal may be gone, or the log's
// disk full, and the recording is not.
void Tell(std::string_view text);
// The others escape what a terminal would not show (text/clean_text.h).
// "program: error: message", and the hint on a line of its own.
void PrintError(std::string_view program, const util::Error& error);
// "program: text".
void PrintNote(std::string_view program, std::string_view text);

}  // namespace tools
