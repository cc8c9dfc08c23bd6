// SPDX-License-Identifier: BSD-2-Clause
// Suggests a known word for a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace util {

// The element of `known` with the fewest insertions, deletions, substitutions and transpositions
// from `word`; the first of several. Empty if `known` is empty.
std::string Nearest(std::string_view word, std::span<const std::string> known);

// "did you mean 'X'? " with the nearest word, or nothing if more than half of `word` would have to
// change: then the words have nothing in common.
std::string Suggestion(std::string_view word, std::span<const std::string> known);

}  // namespace util
