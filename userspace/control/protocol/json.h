// SPDX-License-Identifier: BSD-2-Clause
// JSON of somebody who may want us harm. The library's parser is compiled once, in json.cc.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "util/result.h"

extern template class nlohmann::basic_json<>;

namespace control {

using Json = nlohmann::json;

// Deepest nesting of a document; the interface needs five.
inline constexpr int kMaxDepth = 32;

// One JSON object. The memory that it takes is at most some 64 times that of the text.
util::Result<Json> ParseObject(std::string_view text);

}  // namespace control
