// SPDX-License-Identifier: BSD-2-Clause
// Writes valid and invalid data into a shared buffer.
#pragma once

#include <sys/mman.h>
#include <sys/types.h>

#include <cstdint>
#include <cstring>
#include <string_view>

#include "fxt_provider/detail/buffer.h"
#include "provider/shared_buffer.h"

namespace provider::testing {

class FakeProvider {
 public:
  explicit FakeProvider(const SharedBuffer& buffer) : FakeProvider(buffer.fd(), buffer.blocks()) {}
  FakeProvider(int fd, uint32_t blocks) : blocks_(blocks), bytes_(fxt_buffer_bytes(blocks_)) {
    memory_ =
        static_cast<uint8_t*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  }
  FakeProvider(const FakeProvider&) = delete;
  FakeProvider& operator=(const FakeProvider&) = delete;
  ~FakeProvider() { munmap(memory_, bytes_); }

  fxt_buffer_header& header() { return *reinterpret_cast<fxt_buffer_header*>(memory_); }
  fxt_block& block(uint32_t index) {
    return reinterpret_cast<fxt_block*>(memory_ + fxt_descriptors_offset())[index];
  }
  uint64_t* words(uint32_t index) {
    return reinterpret_cast<uint64_t*>(memory_ + fxt_blocks_offset(blocks_) +
                                       uint64_t{index} * FXT_BLOCK_BYTES);
  }
  uint32_t* places() { return reinterpret_cast<uint32_t*>(memory_ + fxt_places_offset()); }
  uint8_t* memory() { return memory_; }
  uint64_t bytes() const { return bytes_; }

  // Defines a string at the next index, which it returns.
  uint16_t Add(std::string_view text, bool is_category = false) {
    const auto size = static_cast<uint32_t>(text.size());
    memcpy(memory_ + fxt_strings_offset() + used_, &size, sizeof size);
    memcpy(memory_ + fxt_strings_offset() + used_ + sizeof size, text.data(), size);
    places()[strings_] = (used_ + 1) | (is_category ? FXT_STRING_IS_CATEGORY : 0);
    used_ += (sizeof size + size + 7) & ~uint32_t{7};
    header().strings = strings_ + 1;
    return static_cast<uint16_t>(strings_++);
  }

  void Take(uint32_t index, uint64_t sequence, uint32_t tid) {
    block(index).state = FXT_BLOCK_OWNED;
    block(index).committed = 0;
    block(index).tid = tid;
    block(index).sequence = sequence;
  }
  // Writes an instant, or an event of another type, without arguments.
  void Event(uint32_t index, uint64_t ticks, uint16_t category, uint16_t name, uint64_t type = 0,
             bool commit = true) {
    uint64_t* at = words(index) + block(index).committed / 8;
    at[0] = 4 | uint64_t{2} << 4 | type << 16 | uint64_t{1} << 24 | uint64_t{category} << 32 |
            uint64_t{name} << 48;
    at[1] = ticks;
    if (commit) block(index).committed += 16;
  }

 private:
  uint32_t blocks_;
  uint64_t bytes_;
  uint8_t* memory_ = nullptr;
  uint32_t used_ = 0;
  uint32_t strings_ = 1;
};

}  // namespace provider::testing
