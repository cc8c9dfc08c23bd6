// SPDX-License-Identifier: BSD-2-Clause
// A Drawing as SVG, in the colours of the report's pages.
#pragma once

#include <string>
#include <string_view>

#include "analyze/draw/drawing.h"

namespace analyze {

// One picture, 1200 pixels wide. `title` is what is written above it.
std::string DrawingSvg(const Drawing& drawing, std::string_view title);

}  // namespace analyze
