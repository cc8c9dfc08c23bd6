// SPDX-License-Identifier: BSD-2-Clause
// Checks a trace against the format and, where fxt-record made it, against that program's promises.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "analyze/check/finding.h"
#include "facts/span_tracker.h"
#include "fxt/byte_source.h"
#include "fxt/reader.h"

namespace analyze {

struct CheckOptions {
  // False: the rules of the format alone.
  bool recorder_rules = true;
  // Bytes that the tables of all providers may take together.
  size_t max_table_bytes = fxt::ReaderOptions{}.max_table_bytes;
  // Bytes that are kept of spans that are open.
  size_t max_span_bytes = facts::SpanTracker::kMaxBytes;
  // Called at times with the reader's position, in bytes, for progress.
  std::function<void(uint64_t)> on_progress;
};

struct CheckResult {
  uint64_t records = 0;
  uint64_t errors = 0;
  uint64_t warnings = 0;
  std::map<std::string_view, uint64_t> by_rule;
  // Why the file is not a trace, or could not be read to its end (a failing disk); empty otherwise.
  std::string unreadable;

  bool clean() const { return errors == 0 && warnings == 0 && unreadable.empty(); }
};

// Reads all of `source`. Findings come in the order in which they are noticed, nearly that of the
// file.
CheckResult CheckTrace(fxt::ByteSource& source, const CheckOptions& options,
                       const FindingHandler& on_finding);

}  // namespace analyze
