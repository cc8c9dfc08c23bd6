// SPDX-License-Identifier: BSD-2-Clause
// Pictures for those who take no SVG.
#pragma once

#include <string>

#include "util/result.h"

namespace tools {

// What rsvg-convert (of the package librsvg2-bin) makes of it, in twice as many pixels. Errors: it
// is not there, or cannot.
util::Result<std::string> PngOf(const std::string& svg);

}  // namespace tools
