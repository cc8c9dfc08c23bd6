// SPDX-License-Identifier: BSD-2-Clause
#include "provider/shared_buffer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

namespace provider {
namespace {

// Each word is read once: what the provider changes meanwhile is not read a second time.
template <typename T>
T Load(const T& place) {
  return __atomic_load_n(&place, __ATOMIC_ACQUIRE);
}

util::Error Failed(const char* what) {
  return {fmt::format("cannot {} a provider's buffer: {}", what, strerror(errno)), ""};
}

}  // namespace

util::Result<SharedBuffer> SharedBuffer::Make(const BufferOptions& options) {
  SharedBuffer buffer;
  buffer.blocks_ = static_cast<uint32_t>(
      std::clamp<uint64_t>(options.bytes / FXT_BLOCK_BYTES, FXT_MIN_BLOCKS, FXT_MAX_BLOCKS));
  buffer.bytes_ = fxt_buffer_bytes(buffer.blocks_);
  buffer.mode_ = options.mode;
  buffer.clock_ = options.clock;
  buffer.fd_.reset(memfd_create("fxt-provider", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!buffer.fd_) return Failed("make");
  if (ftruncate(buffer.fd_.get(), static_cast<off_t>(buffer.bytes_)) != 0 ||
      fcntl(buffer.fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return Failed("size");
  }
  void* memory =
      mmap(nullptr, buffer.bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, buffer.fd_.get(), 0);
  if (memory == MAP_FAILED) return Failed("map");
  buffer.memory_ = static_cast<uint8_t*>(memory);
  fxt_buffer_header& header = buffer.header();
  header.magic = FXT_BUFFER_MAGIC;
  header.bytes = buffer.bytes_;
  header.blocks = buffer.blocks_;
  header.mode = options.mode;
  header.clock = options.clock;
  buffer.SetCategories(options.categories);
  return buffer;
}

SharedBuffer::SharedBuffer(SharedBuffer&& other) noexcept { *this = std::move(other); }

SharedBuffer& SharedBuffer::operator=(SharedBuffer&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(memory_, other.memory_);
  std::swap(bytes_, other.bytes_);
  std::swap(blocks_, other.blocks_);
  std::swap(mode_, other.mode_);
  std::swap(clock_, other.clock_);
  return *this;
}

SharedBuffer::~SharedBuffer() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
}

void SharedBuffer::SetCategories(const std::vector<std::string>& categories) {
  std::string text;
  for (const std::string& category : categories) {
    text += category;
    text += '\0';
  }
  text.resize(std::min<size_t>(text.size(), FXT_CATEGORIES_BYTES - 1));
  memcpy(memory_ + fxt_categories_offset(), text.data(), text.size());
  __atomic_store_n(&header().categories_bytes, static_cast<uint32_t>(text.size()),
                   __ATOMIC_RELEASE);
}

SharedBuffer::BlockState SharedBuffer::block(uint32_t index) const {
  const fxt_block& shared = descriptor(index);
  BlockState state;
  state.sequence = Load(shared.sequence);
  state.state = Load(shared.state);
  state.tid = Load(shared.tid);
  state.committed = std::min<uint32_t>(Load(shared.committed), FXT_BLOCK_BYTES) & ~uint32_t{7};
  return state;
}

void SharedBuffer::FreeBlock(uint32_t index) {
  uint32_t full = FXT_BLOCK_FULL;
  __atomic_compare_exchange_n(&descriptor(index).state, &full,
                              static_cast<uint32_t>(FXT_BLOCK_FREE), false, __ATOMIC_ACQ_REL,
                              __ATOMIC_RELAXED);
}

void SharedBuffer::Copy(uint32_t index, uint32_t begin, uint32_t end,
                        std::vector<uint64_t>& out) const {
  const auto* words = reinterpret_cast<const uint64_t*>(memory_ + fxt_blocks_offset(blocks_) +
                                                        uint64_t{index} * FXT_BLOCK_BYTES);
  const size_t count = (end - begin) / sizeof(uint64_t);
  out.resize(count);
  for (size_t i = 0; i < count; ++i) {
    out[i] = __atomic_load_n(&words[begin / sizeof(uint64_t) + i], __ATOMIC_RELAXED);
  }
  // What is read after the copy tells whether the block has changed hands meanwhile.
  std::atomic_thread_fence(std::memory_order_acquire);
}

uint64_t SharedBuffer::lost() const { return Load(header().lost); }

uint32_t SharedBuffer::acknowledged() const { return Load(header().acknowledged); }

uint32_t SharedBuffer::strings() const {
  return std::min<uint32_t>(Load(header().strings), FXT_MAX_STRINGS);
}

bool SharedBuffer::ReadString(uint32_t index, std::string& text, bool& is_category) const {
  const auto* places = reinterpret_cast<const uint32_t*>(memory_ + fxt_places_offset());
  const uint32_t place = Load(places[index]);
  const uint32_t offset = (place & ~FXT_STRING_IS_CATEGORY) - 1;
  if ((place & ~FXT_STRING_IS_CATEGORY) == 0 || offset > FXT_STRING_BYTES - sizeof(uint32_t) ||
      offset % 8 != 0) {
    return false;
  }
  const uint8_t* entry = memory_ + fxt_strings_offset() + offset;
  const uint32_t bytes = Load(*reinterpret_cast<const uint32_t*>(entry));
  constexpr uint32_t kMaxBytes = 4096;
  if (bytes > kMaxBytes || bytes > FXT_STRING_BYTES - sizeof(uint32_t) - offset) return false;
  text.assign(reinterpret_cast<const char*>(entry) + sizeof(uint32_t), bytes);
  is_category = (place & FXT_STRING_IS_CATEGORY) != 0;
  return true;
}

}  // namespace provider
