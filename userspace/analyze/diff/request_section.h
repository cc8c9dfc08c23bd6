// SPDX-License-Identifier: BSD-2-Clause
// The requests of both sides of a comparison.
#pragma once

#include <cstddef>

#include "analyze/document/document.h"
#include "compare/diff_report.h"

namespace analyze {

// The parts of the paths of requests that differ most: a list for JSON.
document::Value PartsData(const comparison::RequestChange& request);

// A table with `top` requests (0: all), those with the most time first, and all of them in JSON.
void AddRequestSection(document::Document& document, const comparison::DiffReport& report,
                       size_t top);

}  // namespace analyze
