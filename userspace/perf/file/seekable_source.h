// SPDX-License-Identifier: BSD-2-Clause
// The input of a perf.data reader: a descriptor or memory. Unlike a trace (fxt::ByteSource) it
// needs seeking, because its description follows the records.
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

  // Fills `out` from the current position. Returns fewer bytes only at the end of the input.
  virtual util::Result<size_t> Read(std::span<std::byte> out) = 0;
  // Total size in bytes; empty for a pipe, which cannot seek.
  virtual std::optional<uint64_t> size() const = 0;
  // Continues at `offset` from the start. An error for a pipe.
  virtual util::Status Seek(uint64_t offset) = 0;
};

// `path` "-" is standard input. An error if it cannot be opened or is a directory.
util::Result<std::unique_ptr<SeekableSource>> OpenFile(const std::string& path);

// Errors name the input `name`.
std::unique_ptr<SeekableSource> MakeFdSource(util::UniqueFd fd, std::string name);

// `bytes` must outlive the source. `seekable` false simulates a pipe.
std::unique_ptr<SeekableSource> MakeMemorySource(util::Bytes bytes, bool seekable = true);

}  // namespace perf
