// SPDX-License-Identifier: BSD-2-Clause
#pragma once

namespace tools {

// What fxt-record --list-categories prints. The exit code.
int ListCategories();
// The same for programs: a line each, name, tab, description. It does not ask the kernel.
int ListCategoryNames();
// Prices for programs: a line each, name of a category or option, ns and bytes per event ("-": not
// known), what one event is, with tabs between. It does not ask the kernel.
int ListPrices();

}  // namespace tools
