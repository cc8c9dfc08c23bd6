// SPDX-License-Identifier: BSD-2-Clause
// Categories of providers in the list of -c: "provider:NAME".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tools {

// Splits a list at its commas.
std::vector<std::string> SplitAtCommas(std::string_view list);
// Removes the categories of providers from `words` and returns them without "provider:".
std::vector<std::string> TakeProviderCategories(std::vector<std::string>& words);

}  // namespace tools
