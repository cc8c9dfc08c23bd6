// SPDX-License-Identifier: BSD-2-Clause
// The colours of the pages, for pictures without a style sheet.
#pragma once

#include <string>
#include <string_view>

namespace analyze {

// The value of --NAME in the light style of the pages, such as "#2f8f83" for "running". Empty for
// an unknown name.
std::string PageColour(std::string_view name);

}  // namespace analyze
