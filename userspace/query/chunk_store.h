// SPDX-License-Identifier: BSD-2-Clause
// Many lists of bytes that grow side by side, in bounded memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "util/result.h"
#include "util/unique_fd.h"

namespace query {

// The memory is a chunk for each list, and kKept chunks.
class ChunkStore {
 public:
  static constexpr size_t kChunkBytes = 1024;
  // Further full chunks go to an unnamed file.
  static constexpr size_t kKept = 8192;

  struct List {
    uint32_t first = UINT32_MAX;
    uint32_t last = UINT32_MAX;
  };

  // Reads a list that does not grow any more, and frees its chunks.
  class Reader {
   public:
    Reader() = default;
    Reader(ChunkStore& store, const List& list) : store_(&store), next_(list.first) {}

    // The rest of a chunk, at least a whole record; empty behind the last.
    util::Result<std::span<const std::byte>> Rest();
    void Skip(size_t bytes) { rest_ = rest_.subspan(bytes); }

   private:
    ChunkStore* store_ = nullptr;
    uint32_t chunk_ = kNone;  // that is read
    uint32_t next_ = kNone;
    std::span<const std::byte> rest_;
    std::array<std::byte, kChunkBytes> copy_;
  };

  ChunkStore() = default;
  ChunkStore(const ChunkStore&) = delete;
  ChunkStore& operator=(const ChunkStore&) = delete;

  // Appends a record of at most kChunkBytes, which is never split between chunks.
  util::Status Append(List& list, std::span<const std::byte> record) {
    if (list.last == kNone || chunks_[list.last].used + record.size() > kChunkBytes) [[unlikely]] {
      if (auto status = Grow(list); !status) return status;
    }
    Chunk& chunk = chunks_[list.last];
    std::memcpy(At(chunk.place) + chunk.used, record.data(), record.size());
    chunk.used += static_cast<uint32_t>(record.size());
    return util::Ok();
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr uint32_t kBlockChunks = 256;
  struct Chunk {
    uint32_t next = kNone;
    uint32_t used = 0;
    uint32_t place = 0;
    bool in_file = false;
  };

  util::Status Grow(List& list);
  util::Status WriteOut(Chunk& chunk);
  util::Status ReadIn(const Chunk& chunk, std::span<std::byte> into) const;
  void Free(uint32_t chunk);
  uint32_t TakePlace();
  std::byte* At(uint32_t place) {
    return blocks_[place / kBlockChunks].get() + place % kBlockChunks * kChunkBytes;
  }

  std::vector<Chunk> chunks_;
  std::vector<uint32_t> free_chunks_;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::vector<uint32_t> free_places_;
  uint32_t places_ = 0;
  size_t kept_ = 0;  // full ones in memory
  util::UniqueFd file_;
  std::vector<uint32_t> free_file_places_;
  uint32_t file_places_ = 0;
};

}  // namespace query
