// SPDX-License-Identifier: BSD-2-Clause
#include "provider/shared_buffer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

namespace provider {
namespace {

template <typename T>
T Load(const T& place) {
  return __atomic_load_n(&place, __ATOMIC_ACQUIRE);
}

util::Error Failed(const char* action) {
  return {fmt::format("cannot {} a provider's buffer: {}", action, strerror(errno)), ""};
}

size_t HeaderBytes() { return fxt_places_offset(); }

uint8_t* Map(int fd, size_t bytes, uint64_t offset) {
  void* memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset));
  if (memory == MAP_FAILED) return nullptr;
  // Not inherited by child processes, which parse untrusted files.
  madvise(memory, bytes, MADV_DONTFORK);
  return static_cast<uint8_t*>(memory);
}

}  // namespace

util::Result<SharedBuffer> SharedBuffer::Make(const BufferOptions& options) {
  SharedBuffer buffer;
  buffer.blocks_ = static_cast<uint32_t>(
      std::clamp<uint64_t>(options.bytes / FXT_BLOCK_BYTES, FXT_MIN_BLOCKS, FXT_MAX_BLOCKS));
  const uint64_t bytes = fxt_buffer_bytes(buffer.blocks_);
  buffer.mode_ = options.mode;
  buffer.clock_ = options.clock;
  buffer.fd_.reset(memfd_create("fxt-provider", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!buffer.fd_) return Failed("make");
  if (ftruncate(buffer.fd_.get(), static_cast<off_t>(bytes)) != 0 ||
      fcntl(buffer.fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return Failed("size");
  }
  buffer.header_ = Map(buffer.fd(), HeaderBytes(), 0);
  buffer.descriptors_ = Map(buffer.fd(), buffer.descriptor_bytes(), fxt_descriptors_offset());
  if (buffer.header_ == nullptr || buffer.descriptors_ == nullptr) return Failed("map");
  fxt_buffer_header& header = buffer.header();
  header.magic = FXT_BUFFER_MAGIC;
  header.bytes = bytes;
  header.blocks = buffer.blocks_;
  header.mode = options.mode;
  header.clock = options.clock;
  buffer.SetCategories(options.categories);
  return buffer;
}

SharedBuffer& SharedBuffer::operator=(SharedBuffer&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(header_, other.header_);
  std::swap(descriptors_, other.descriptors_);
  std::swap(blocks_, other.blocks_);
  std::swap(mode_, other.mode_);
  std::swap(clock_, other.clock_);
  return *this;
}

SharedBuffer::~SharedBuffer() {
  if (header_ != nullptr) munmap(header_, HeaderBytes());
  if (descriptors_ != nullptr) munmap(descriptors_, descriptor_bytes());
}

void SharedBuffer::SetCategories(const std::vector<std::string>& categories) {
  std::string text;
  for (const std::string& category : categories) {
    text += category;
    text += '\0';
  }
  text.resize(std::min<size_t>(text.size(), FXT_CATEGORIES_BYTES - 1));
  memcpy(header_ + fxt_categories_offset(), text.data(), text.size());
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

bool SharedBuffer::Read(void* out, size_t bytes, uint64_t offset) const {
  return pread(fd_.get(), out, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

bool SharedBuffer::Copy(uint32_t index, uint32_t begin, uint32_t end,
                        std::vector<uint64_t>& out) const {
  out.resize((end - begin) / sizeof(uint64_t));
  const bool read = Read(out.data(), out.size() * sizeof(uint64_t),
                         fxt_blocks_offset(blocks_) + uint64_t{index} * FXT_BLOCK_BYTES + begin);
  // Orders the copy before the caller's second read of the sequence, which shows a change of the
  // owner.
  std::atomic_thread_fence(std::memory_order_acquire);
  return read;
}

uint64_t SharedBuffer::lost() const { return Load(header().lost); }

uint32_t SharedBuffer::acknowledged() const { return Load(header().acknowledged); }

uint32_t SharedBuffer::strings() const {
  return std::min<uint32_t>(Load(header().strings), FXT_MAX_STRINGS);
}

bool SharedBuffer::ReadString(uint32_t index, std::string& text, bool& is_category) const {
  constexpr uint32_t kMaxBytes = 4096;
  uint32_t place = 0;
  if (!Read(&place, sizeof place, fxt_places_offset() + index * sizeof place)) return false;
  const uint32_t offset = (place & ~FXT_STRING_IS_CATEGORY) - 1;
  if ((place & ~FXT_STRING_IS_CATEGORY) == 0 || offset > FXT_STRING_BYTES - sizeof(uint32_t) ||
      offset % 8 != 0) {
    return false;
  }
  const uint32_t room = FXT_STRING_BYTES - sizeof(uint32_t) - offset;
  std::array<char, sizeof(uint32_t) + kMaxBytes> entry;
  if (!Read(entry.data(), sizeof(uint32_t) + std::min(room, kMaxBytes),
            fxt_strings_offset() + offset)) {
    return false;
  }
  uint32_t bytes = 0;
  memcpy(&bytes, entry.data(), sizeof bytes);
  if (bytes > kMaxBytes || bytes > room) return false;
  text.assign(entry.data() + sizeof(uint32_t), bytes);
  is_category = (place & FXT_STRING_IS_CATEGORY) != 0;
  return true;
}

}  // namespace provider
