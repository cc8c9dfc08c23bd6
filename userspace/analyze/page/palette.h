// SPDX-License-Identifier: BSD-2-Clause
// The colours of the pages, for pictures that have no style sheet.
#pragma once

#include <string>
#include <string_view>

namespace analyze {

// What the light half of the pages' style sheet has as --NAME, such as "#2f8f83" for "running";
// empty for a name that it does not have.
std::string PageColour(std::string_view name);

}  // namespace analyze
