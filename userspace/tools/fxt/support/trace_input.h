// SPDX-License-Identifier: BSD-2-Clause
// A trace that can be read more than once, from any input.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fxt/byte_source.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace tools {

class TraceInput {
 public:
  // `path`: a trace, or JSON of the Trace Event Format, which is imported into an unnamed temporary
  // file. A pipe is copied into one. "-" is standard input.
  static util::Result<TraceInput> Prepare(const std::string& path);

  // Reads it from the start.
  util::Result<std::unique_ptr<fxt::ByteSource>> Open() const;

  const std::string& path() const { return path_; }
  // Warnings of the import.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  explicit TraceInput(std::string path) : path_(std::move(path)) {}
  util::Status Copy();
  util::Status Import();

  std::string path_;
  util::UniqueFd copy_;  // instead of the file
  std::vector<std::string> notes_;
};

}  // namespace tools
