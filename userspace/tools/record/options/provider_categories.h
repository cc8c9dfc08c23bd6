// SPDX-License-Identifier: BSD-2-Clause
// Categories of programs that take part, among the words of -c: "provider:NAME".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tools {

// The words of a list with commas between them.
std::vector<std::string> SplitAtCommas(std::string_view list);
// Takes the words that are such categories out of `words`; without "provider:".
std::vector<std::string> TakeProviderCategories(std::vector<std::string>& words);

}  // namespace tools
