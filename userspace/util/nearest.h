// SPDX-License-Identifier: BSD-2-Clause
// What somebody who mistyped a word may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace util {

// The one of `known` that takes the fewest letters inserted, left out, exchanged or put in another
// order to get from `word`; the first of several. Empty if none is known.
std::string Nearest(std::string_view word, std::span<const std::string> known);

}  // namespace util
