// SPDX-License-Identifier: BSD-2-Clause
// Hash tables whose keys are texts of files or of other processes.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace fxt {

// The hash of a text. A file cannot choose texts that collide: the hash differs between runs. So
// does the order of the entries, which must not show in any output.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const noexcept;
};

template <typename Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;
using TextSet = std::unordered_set<std::string, TextHash, std::equal_to<>>;
// Keys that something else keeps for as long as the table.
template <typename Value>
using TextViewMap = std::unordered_map<std::string_view, Value, TextHash>;

}  // namespace fxt
