// SPDX-License-Identifier: BSD-2-Clause
// Unescapes JSON strings that are too long for a parser.
#pragma once

#include <string>
#include <string_view>

namespace importer {

// Unescapes the text between the quotes of a JSON string into `out`. Keeps invalid escapes;
// unpaired surrogates become U+FFFD.
void Unescape(std::string_view packed, std::string& out);

}  // namespace importer
