// SPDX-License-Identifier: BSD-2-Clause
#include "capture/rings/side_ring.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace capture {
namespace {

// uapi/linux/bpf.h: each record has a header of eight bytes, whose first four are its length.
constexpr uint32_t kBusyBit = 1u << 31;
constexpr uint32_t kDiscardBit = 1u << 30;
constexpr size_t kRecordHeaderBytes = 8;

}  // namespace

util::Result<SideRing> SideRing::Map(int map_fd, size_t bytes) {
  size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* consumer = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
  if (consumer == MAP_FAILED) {
    return util::Error{fmt::format("cannot map the side ring: {}", strerror(errno)), ""};
  }
  size_t producer_bytes = page + 2 * bytes;
  void* producer =
      mmap(nullptr, producer_bytes, PROT_READ, MAP_SHARED, map_fd, static_cast<off_t>(page));
  if (producer == MAP_FAILED) {
    int error = errno;
    munmap(consumer, page);
    return util::Error{fmt::format("cannot map the side ring: {}", strerror(error)), ""};
  }
  SideRing ring(static_cast<unsigned long*>(consumer), static_cast<const unsigned long*>(producer),
                static_cast<const std::byte*>(producer) + page, bytes);
  ring.consumer_map_ = consumer;
  ring.producer_map_ = producer;
  ring.producer_map_bytes_ = producer_bytes;
  return ring;
}

SideRing::SideRing(SideRing&& other) noexcept
    : consumer_(other.consumer_),
      producer_(other.producer_),
      data_(other.data_),
      bytes_(other.bytes_),
      consumer_map_(std::exchange(other.consumer_map_, nullptr)),
      producer_map_(std::exchange(other.producer_map_, nullptr)),
      producer_map_bytes_(other.producer_map_bytes_),
      head_(other.head_),
      position_(other.position_),
      collected_(other.collected_),
      arena_(std::move(other.arena_)),
      queue_(std::move(other.queue_)),
      first_(other.first_) {}

SideRing::~SideRing() {
  if (consumer_map_) munmap(consumer_map_, static_cast<size_t>(sysconf(_SC_PAGESIZE)));
  if (producer_map_) munmap(producer_map_, producer_map_bytes_);
}

void SideRing::LoadHead() { head_ = __atomic_load_n(producer_, __ATOMIC_ACQUIRE); }

bool SideRing::Collect() {
  // Drops popped events and moves the queued ones to the front.
  if (first_ == queue_.size()) {
    queue_.clear();
    arena_.clear();
    first_ = 0;
  } else if (first_ > 0) {
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<ptrdiff_t>(first_));
    first_ = 0;
    size_t begin = arena_.size();
    for (const Waiting& waiting : queue_) begin = std::min(begin, waiting.offset);
    arena_.erase(arena_.begin(), arena_.begin() + static_cast<ptrdiff_t>(begin));
    for (Waiting& waiting : queue_) waiting.offset -= begin;
  }
  bool whole = true;
  while (position_ < head_) {
    const std::byte* record = data_ + (position_ & (bytes_ - 1));
    uint32_t length = __atomic_load_n(reinterpret_cast<const uint32_t*>(record), __ATOMIC_ACQUIRE);
    if (length & kBusyBit) {
      whole = false;
      break;
    }
    size_t size = length & ~kDiscardBit;
    if (!(length & kDiscardBit)) Enqueue(record + kRecordHeaderBytes, size);
    position_ += (size + kRecordHeaderBytes + 7) & ~size_t{7};
  }
  __atomic_store_n(consumer_, position_, __ATOMIC_RELEASE);
  return whole;
}

void SideRing::Enqueue(const std::byte* event, size_t size) {
  fxr_side_header header;
  if (size < sizeof(header)) return;
  std::memcpy(&header, event, sizeof(header));
  if (header.type == FXR_SIDE_POKE) return;
  ++collected_;
  Waiting waiting{header.time, arena_.size()};
  arena_.insert(arena_.end(), event, event + size);
  arena_.resize((arena_.size() + 7) & ~size_t{7});
  // Nearly sorted: the time is read right after the reservation.
  auto place = queue_.end();
  while (place != queue_.begin() + static_cast<ptrdiff_t>(first_) &&
         (place - 1)->time > waiting.time) {
    --place;
  }
  queue_.insert(place, waiting);
}

const fxr_side_header* SideRing::Front() const {
  if (first_ == queue_.size()) return nullptr;
  return reinterpret_cast<const fxr_side_header*>(arena_.data() + queue_[first_].offset);
}

void SideRing::Pop() { ++first_; }

}  // namespace capture
