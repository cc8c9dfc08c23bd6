// SPDX-License-Identifier: BSD-2-Clause
// Looks at values of JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/json/trace_event.h"

namespace importer {

// Null where there is none of that name.
const JsonValue* Find(const std::vector<JsonMember>& members, std::string_view name);
// Of a number; cut to an integer. Null has none.
std::optional<int64_t> IntegerOf(const JsonValue* value);
// Empty where it is no string.
std::string_view TextOf(const JsonValue* value);

// Ids are texts or numbers; as a text.
std::string IdText(const JsonValue& value);
// "0x1f" or "31".
std::optional<uint64_t> IdNumber(std::string_view text);

}  // namespace importer
