// SPDX-License-Identifier: BSD-2-Clause
// JSON for tests. The library's parser is compiled once, in json.cc, and not in every file that
// reads some.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

extern template class nlohmann::basic_json<>;

namespace testing_support {

// Fails the test by an exception where the text is none.
nlohmann::json ParseJson(std::string_view text);

}  // namespace testing_support
