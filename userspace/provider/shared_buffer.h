// SPDX-License-Identifier: BSD-2-Clause
// The memory that a provider writes its records into (include/fxt_provider/detail/buffer.h). The
// provider may change any byte of it at any time, so each value is read once and then checked.
#pragma once

#include <cstdint>
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

// Maps the header and the descriptors of blocks. Reads strings and blocks with pread(), which
// neither allocates nor maps pages that the provider never touched.
class SharedBuffer {
 public:
  // Creates the memory and seals its size.
  static util::Result<SharedBuffer> Make(const BufferOptions& options);
  SharedBuffer(SharedBuffer&& other) noexcept { *this = std::move(other); }
  SharedBuffer& operator=(SharedBuffer&& other) noexcept;
  ~SharedBuffer();

  // The descriptor to pass to the provider.
  int fd() const { return fd_.get(); }
  uint32_t blocks() const { return blocks_; }
  fxt_buffer_mode mode() const { return mode_; }
  fxt_buffer_clock clock() const { return clock_; }
  // Sets the categories that the provider records after its next start.
  void SetCategories(const std::vector<std::string>& categories);

  // A snapshot of a block's descriptor.
  struct BlockState {
    uint32_t state = 0;
    uint32_t tid = 0;
    uint64_t sequence = 0;
    uint32_t committed = 0;  // at most FXT_BLOCK_BYTES, whole words
  };
  BlockState block(uint32_t index) const;
  // Frees a full block for the provider.
  void FreeBlock(uint32_t index);
  // Copies bytes `begin` to `end` of a block, both multiples of 8. False if they cannot be read.
  bool Copy(uint32_t index, uint32_t begin, uint32_t end, std::vector<uint64_t>& out) const;

  // Records that did not fit, by the provider's own count.
  uint64_t lost() const;
  // Starts and stops that the provider has followed.
  uint32_t acknowledged() const;
  // Indexes below this may have a string; at most FXT_MAX_STRINGS.
  uint32_t strings() const;
  // False if the string is undefined or invalid.
  bool ReadString(uint32_t index, std::string& text, bool& is_category) const;

 private:
  SharedBuffer() = default;
  fxt_buffer_header& header() const { return *reinterpret_cast<fxt_buffer_header*>(header_); }
  fxt_block& descriptor(uint32_t index) const {
    return reinterpret_cast<fxt_block*>(descriptors_)[index];
  }
  size_t descriptor_bytes() const { return fxt_blocks_offset(blocks_) - fxt_descriptors_offset(); }
  bool Read(void* out, size_t bytes, uint64_t offset) const;

  util::UniqueFd fd_;
  uint8_t* header_ = nullptr;  // and the categories
  uint8_t* descriptors_ = nullptr;
  uint32_t blocks_ = 0;
  fxt_buffer_mode mode_ = FXT_MODE_STREAMING;
  fxt_buffer_clock clock_ = FXT_CLOCK_MONOTONIC;
};

}  // namespace provider
