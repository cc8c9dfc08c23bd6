// SPDX-License-Identifier: BSD-2-Clause
#include "unit/support/json.h"

#include "unit/support/is_json.h"

template class nlohmann::basic_json<>;

namespace testing_support {

nlohmann::json ParseJson(std::string_view text) { return nlohmann::json::parse(text); }

bool IsJson(std::string_view text) { return nlohmann::json::accept(text); }

}  // namespace testing_support
