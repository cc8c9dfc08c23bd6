// SPDX-License-Identifier: BSD-2-Clause
// The memory that a provider writes its records into (include/fxt_provider/detail/buffer.h). The
// provider may write anything there at any time: whoever reads it reads each word once, and checks
// what was read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fxt_provider/detail/buffer.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace provider {

struct BufferOptions {
  fxt_buffer_mode mode = FXT_MODE_STREAMING;
  fxt_buffer_clock clock = FXT_CLOCK_MONOTONIC;
  uint64_t bytes = uint64_t{4} << 20;   // of blocks
  std::vector<std::string> categories;  // empty: all
};

class SharedBuffer {
 public:
  // Of a size that nobody can change.
  static util::Result<SharedBuffer> Make(const BufferOptions& options);
  SharedBuffer(SharedBuffer&& other) noexcept;
  SharedBuffer& operator=(SharedBuffer&& other) noexcept;
  ~SharedBuffer();

  // For the provider.
  int fd() const { return fd_.get(); }
  uint32_t blocks() const { return blocks_; }
  fxt_buffer_mode mode() const { return mode_; }
  fxt_buffer_clock clock() const { return clock_; }
  // Which categories the provider is to record at its next start.
  void SetCategories(const std::vector<std::string>& categories);

  // A block as it is now.
  struct BlockState {
    uint32_t state = 0;
    uint32_t tid = 0;
    uint64_t sequence = 0;
    uint32_t committed = 0;  // at most FXT_BLOCK_BYTES, whole words
  };
  BlockState block(uint32_t index) const;
  // What has been read of it is no longer needed; where its owner is done with it.
  void FreeBlock(uint32_t index);
  // Copies bytes `begin` to `end` of a block: whole words.
  void Copy(uint32_t index, uint32_t begin, uint32_t end, std::vector<uint64_t>& out) const;

  // Records that the provider had no room for.
  uint64_t lost() const;
  // Starts and stops that it has followed.
  uint32_t acknowledged() const;
  // Indexes below this may have a string; at most FXT_MAX_STRINGS.
  uint32_t strings() const;
  // False while there is none.
  bool ReadString(uint32_t index, std::string& text, bool& is_category) const;

 private:
  SharedBuffer() = default;
  fxt_buffer_header& header() const { return *reinterpret_cast<fxt_buffer_header*>(memory_); }
  fxt_block& descriptor(uint32_t index) const {
    return reinterpret_cast<fxt_block*>(memory_ + fxt_descriptors_offset())[index];
  }

  util::UniqueFd fd_;
  uint8_t* memory_ = nullptr;
  uint64_t bytes_ = 0;
  uint32_t blocks_ = 0;
  fxt_buffer_mode mode_ = FXT_MODE_STREAMING;
  fxt_buffer_clock clock_ = FXT_CLOCK_MONOTONIC;
};

}  // namespace provider
