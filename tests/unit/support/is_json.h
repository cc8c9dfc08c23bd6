// SPDX-License-Identifier: BSD-2-Clause
// For tests that ask no more of a text: the header of the library is none that costs little.
#pragma once

#include <string_view>

namespace testing_support {

// Defined in json.cc.
bool IsJson(std::string_view text);

}  // namespace testing_support
