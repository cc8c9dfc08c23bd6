// SPDX-License-Identifier: BSD-2-Clause
// Messages on standard error.
#pragma once

#include <string_view>

#include "util/result.h"

namespace tools {

// Prints `text` unchanged. Ignores failures: the terminal may be gone or the disk of a log full,
// and a recording continues.
void PrintText(std::string_view text);
// The following functions escape control characters (text/clean_text.h). "program: error: message",
// and the hint on its own line.
void PrintError(std::string_view program, const util::Error& error);
// "program: text".
void PrintNote(std::string_view program, std::string_view text);

}  // namespace tools
