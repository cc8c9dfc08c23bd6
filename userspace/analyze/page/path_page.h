// SPDX-License-Identifier: BSD-2-Clause
// Critical paths as a page: `fxt path --html`.
#pragma once

#include <string>

#include "analyze/path/path_document.h"
#include "analyze/path/path_set.h"

namespace analyze {

// The slowest requests with the parts of their paths, and the comparison with median ones. `set`
// has a request at least.
std::string PathPage(const PathSet& set, const PathDocumentOptions& options);

}  // namespace analyze
