// SPDX-License-Identifier: BSD-2-Clause
// Critical paths as text: of one request a waterfall, of many a comparison by part.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analyze/document/document.h"
#include "analyze/path/path_comparison.h"
#include "analyze/path/path_set.h"

namespace analyze {

struct PathDocumentOptions {
  std::string file;
  uint64_t first = 0;  // zero of the times shown, ns of the trace's clock
  // Compare requests slower than this quantile with the median ones; without it the slowest
  // requests are listed.
  std::optional<double> slow_from;
  size_t top = 10;         // rows of each table
  bool all_parts = false;  // of the waterfall; short ones are summed up otherwise
  std::vector<std::string> notes;
};

// `set` has a request at least.
document::Document PathDocument(const PathSet& set, const PathDocumentOptions& options);

}  // namespace analyze
