// SPDX-License-Identifier: BSD-2-Clause
// The colours of the pages, for pictures without a style sheet.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace analyze {

enum class PageStyle : uint8_t { kLight, kDark };

// The value of --NAME in a style of the pages, such as "#2f8f83" for "running". Empty for an
// unknown name.
std::string PageColour(PageStyle style, std::string_view name);

}  // namespace analyze
