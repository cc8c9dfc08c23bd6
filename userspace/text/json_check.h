// SPDX-License-Identifier: BSD-2-Clause
// Whether a text is JSON.
#pragma once

#include <string_view>

namespace text {

// One value (RFC 8259) of UTF-8 and nothing else, nested no deeper than 1000.
bool IsJson(std::string_view text);

}  // namespace text
