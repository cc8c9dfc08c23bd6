// SPDX-License-Identifier: BSD-2-Clause
// Where a perf.data file's bytes come from: a descriptor or memory. Unlike a trace
// (fxt::ByteSource) it is not read from front to back: what describes it stands behind its records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "util/byte_cursor.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace perf {

class SeekableSource {
 public:
  virtual ~SeekableSource() = default;

  // Fills `out` from the current place on; fewer bytes only at the end of the input.
  virtual util::Result<size_t> Read(std::span<std::byte> out) = 0;
  // Total size in bytes; empty for a pipe, which cannot be read but forward.
  virtual std::optional<uint64_t> size() const = 0;
  // Continues at `offset`, counted from the start. Error for a pipe.
  virtual util::Status Seek(uint64_t offset) = 0;
};

// `path` "-" is standard input. Error: it does not open, or it is a directory.
util::Result<std::unique_ptr<SeekableSource>> OpenFile(const std::string& path);

// `name` is what errors call it.
std::unique_ptr<SeekableSource> MakeFdSource(util::UniqueFd fd, std::string name);

// `bytes` stay the caller's. With `seekable` false it stands for a pipe.
std::unique_ptr<SeekableSource> MakeMemorySource(util::Bytes bytes, bool seekable = true);

}  // namespace perf
