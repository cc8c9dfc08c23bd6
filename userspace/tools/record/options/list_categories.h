// SPDX-License-Identifier: BSD-2-Clause
#pragma once

namespace tools {

// Prints --list-categories. Returns the exit code.
int ListCategories();
// The same for programs: a line per category with name, tab and description. Does not read the
// kernel.
int ListCategoryNames();
// Prices for programs: a line per category or option with its name, ns and bytes per event ("-":
// unknown), and what one event is, separated by tabs. Does not read the kernel.
int ListPrices();

}  // namespace tools
