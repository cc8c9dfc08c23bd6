// SPDX-License-Identifier: BSD-2-Clause
#pragma once

namespace tools {

// What fxt-record --list-categories prints. The exit code.
int ListCategories();

}  // namespace tools
