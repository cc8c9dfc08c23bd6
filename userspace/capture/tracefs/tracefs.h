// SPDX-License-Identifier: BSD-2-Clause
// The kernel's tracing file system, where tracepoints are described.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/tracepoint_format.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace capture {

class Tracefs {
 public:
  // Where it is mounted, or, where it is not, a mount of its own that nobody else sees and that
  // goes with this object.
  static util::Result<Tracefs> Open();
  // What has the layout of tracefs.
  explicit Tracefs(std::string path) : path_(std::move(path)) {}

  // All tracepoints that can be recorded, as SYSTEM:NAME, sorted.
  std::vector<std::string> Names() const;
  // Those out of `names` that `pattern` matches, in which * ? [] mean what they mean to a shell.
  static std::vector<std::string> Match(const std::vector<std::string>& names,
                                        const std::string& pattern);
  // That `pattern` matches none of `names`, with the nearest ones.
  static util::Error NoSuch(const std::vector<std::string>& names, const std::string& pattern);

  // `name` is one of Names().
  util::Result<schema::TracepointFormat> Format(std::string_view name) const;

 private:
  std::string path_;
  util::UniqueFd mount_;
};

}  // namespace capture
