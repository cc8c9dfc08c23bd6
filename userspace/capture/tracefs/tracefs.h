// SPDX-License-Identifier: BSD-2-Clause
// The kernel's tracing file system, which describes the tracepoints.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "schema/tracepoint_format.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace capture {

class Tracefs {
 public:
  // The existing mount or, without one, a private detached mount that ends with this object.
  static util::Result<Tracefs> Open();
  // `path` has the layout of tracefs.
  explicit Tracefs(std::string path) : path_(std::move(path)) {}

  // All recordable tracepoints, as SYSTEM:NAME, sorted.
  std::vector<std::string> Names() const;
  // Those of `names` that `pattern` matches, with shell wildcards.
  static std::vector<std::string> Match(const std::vector<std::string>& names,
                                        const std::string& pattern);
  // The error for a pattern without a match, with the nearest names.
  static util::Error NoSuch(const std::vector<std::string>& names, const std::string& pattern);

  // The kernel's functions that can be traced, with those of modules; empty if ftrace does not say.
  std::unordered_set<std::string> TraceableFunctions() const;

  // `name` is one of Names().
  util::Result<schema::TracepointFormat> Format(std::string_view name) const;

 private:
  std::string path_;
  util::UniqueFd mount_;
};

}  // namespace capture
