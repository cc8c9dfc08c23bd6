// SPDX-License-Identifier: BSD-2-Clause
// Strings of JSON that are too long for a parser to hold.
#pragma once

#include <string>
#include <string_view>

namespace importer {

// What stands between the quotes of a JSON string, unpacked into `out`. A wrong escape stays as it
// is; halves of surrogate pairs become U+FFFD.
void Unescape(std::string_view packed, std::string& out);

}  // namespace importer
