// SPDX-License-Identifier: BSD-2-Clause
// Parses JSON (RFC 8259) of untrusted input. RapidJSON's document is the only document type of this
// tree; files larger than memory are read by import/json instead.
#pragma once

#include <rapidjson/document.h>

#include <optional>
#include <string_view>

#include "util/result.h"

namespace text {

// One value of UTF-8, nested no deeper than `max_depth` arrays and objects. The document owns its
// strings. It takes at most some 64 times the bytes of the text.
util::Result<rapidjson::Document> ParseJson(std::string_view text, int max_depth);

// True if `text` is one such value, nested no deeper than 1000.
bool IsJson(std::string_view text);

// The first member of that name; null if there is none or `value` is not an object.
const rapidjson::Value* FindMember(const rapidjson::Value& value, std::string_view name);
// Empty if `value` is null or no string. It lives as long as the document.
std::optional<std::string_view> StringOf(const rapidjson::Value* value);
// Empty if `value` is null or no whole number of 0 to 2^64-1 without a decimal point.
std::optional<uint64_t> UnsignedOf(const rapidjson::Value* value);

}  // namespace text
