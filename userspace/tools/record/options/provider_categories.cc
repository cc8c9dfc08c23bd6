// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/options/provider_categories.h"

#include <algorithm>

namespace tools {

std::vector<std::string> SplitAtCommas(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    words.emplace_back(list.substr(0, comma));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return words;
}

std::vector<std::string> TakeProviderCategories(std::vector<std::string>& words) {
  constexpr std::string_view kPrefix = "provider:";
  std::vector<std::string> taken;
  std::erase_if(words, [&](const std::string& word) {
    if (!word.starts_with(kPrefix)) return false;
    taken.push_back(word.substr(kPrefix.size()));
    return true;
  });
  return taken;
}

}  // namespace tools
