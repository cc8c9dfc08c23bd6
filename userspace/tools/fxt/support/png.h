// SPDX-License-Identifier: BSD-2-Clause
// Converts pictures to PNG.
#pragma once

#include <string>

#include "util/result.h"

namespace tools {

// The output of rsvg-convert (package librsvg2-bin) at twice the size. Fails if that is missing or
// fails.
util::Result<std::string> PngOf(const std::string& svg);

}  // namespace tools
