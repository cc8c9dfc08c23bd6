// SPDX-License-Identifier: BSD-2-Clause
#include "capture/rings/ring_image.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "fxt_record/slot_body.h"

namespace capture {
namespace {

// Slots between two calls of `between`.
constexpr uint64_t kPiece = uint64_t{1} << 16;
// Slots from before `since`, to find what each CPU ran at that time.
constexpr uint64_t kMoreSlots = 4096;
// Retries of an uncommitted slot, and the pause between them.
constexpr int kRetries = 100;
constexpr useconds_t kRetryUs = 50;

}  // namespace

void RingImage::Unmap::operator()(fxr_slot* slots) const { munmap(slots, bytes); }

util::Result<RingImage> RingImage::Copy(std::span<const SlotRing> rings, const HeadHistory& history,
                                        const RingImageOptions& options) {
  RingImage image;
  image.now_ = options.now;
  image.history_ = history;
  if (rings.empty()) return image;
  image.shift_ = rings.front().shift();
  const uint64_t capacity = rings.front().capacity();
  const size_t bytes = sizeof(fxr_slot) << image.shift_;
  for (size_t i = 0; i < rings.size(); ++i) {
    // Untouched pages take no memory.
    void* slots = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slots == MAP_FAILED) {
      return util::Error{fmt::format("no memory to copy the buffer: {}", strerror(errno)), ""};
    }
    Ring& copy = image.rings_.emplace_back();
    copy.slots = std::unique_ptr<fxr_slot, Unmap>(static_cast<fxr_slot*>(slots), Unmap{bytes});
    copy.end = rings[i].LiveHead();
  }
  for (size_t i = 0; i < rings.size(); ++i) {
    const uint64_t floor = i < options.floors.size() ? options.floors[i] : 0;
    Ring& copy = image.rings_[i];
    copy.begin = std::max(floor, copy.end > capacity ? copy.end - capacity : 0);
    image.CopyRing(i, rings[i], options);
  }
  return image;
}

uint64_t RingImage::FirstSince(size_t index, const SlotRing& ring,
                               const RingImageOptions& options) const {
  const Ring& copy = rings_[index];
  if (options.since == 0) return copy.begin;
  // The oldest slots may be overwritten during this search, which need not be exact.
  uint64_t low = std::min(copy.begin + ring.capacity() / 16, copy.end);
  uint64_t high = copy.end;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    const uint64_t near = history_.Near(index, middle, options.now);
    if (WholeTime(ring.Read(middle).commit, near) < options.since) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low <= copy.begin + ring.capacity() / 16 + kMoreSlots) return copy.begin;
  return low - kMoreSlots;
}

void RingImage::CopyRing(size_t index, const SlotRing& ring, const RingImageOptions& options) {
  Ring& copy = rings_[index];
  const uint64_t oldest = copy.begin;
  copy.begin = FirstSince(index, ring, options);
  const uint64_t mask = ring.capacity() - 1;
  fxr_slot* const to = copy.slots.get();
  std::vector<uint64_t> unfinished;
  for (uint64_t position = copy.begin; position < copy.end;) {
    const uint64_t piece = std::min(copy.end, position + kPiece);
    for (; position < piece; ++position) {
      const fxr_slot slot = ring.Read(position);
      to[position & mask] = slot;
      if (!ring.IsOf(position, slot.commit)) [[unlikely]] {
        unfinished.push_back(position);
      }
    }
    if (options.between) options.between();
  }
  FinishRing(index, ring, unfinished);
  // Slots before the first one were overwritten, unless there were none.
  const uint64_t floor = index < options.floors.size() ? options.floors[index] : 0;
  if (copy.begin == floor || (copy.begin == oldest && oldest == floor)) return;
  if (copy.begin == copy.end) complete_from_ = std::max(complete_from_, options.now);
  // Nested programs stamp their events in another order than they claim them.
  for (uint64_t i = copy.begin; i < std::min(copy.end, copy.begin + FXR_RING_SLACK); ++i) {
    const uint64_t near = history_.Near(index, i, options.now);
    complete_from_ = std::max(complete_from_, WholeTime(to[i & mask].commit, near) + 1);
  }
}

void RingImage::FinishRing(size_t index, const SlotRing& ring,
                           const std::vector<uint64_t>& unfinished) {
  Ring& copy = rings_[index];
  fxr_slot* const to = copy.slots.get();
  const uint64_t mask = ring.capacity() - 1;
  std::vector<uint64_t> missing;
  for (uint64_t position : unfinished) {
    fxr_slot slot = ring.Read(position);
    for (int retry = 0; retry < kRetries && !ring.IsOf(position, slot.commit); ++retry) {
      if (ring.LiveHead() > position + ring.capacity()) break;
      usleep(kRetryUs);
      slot = ring.Read(position);
    }
    to[position & mask] = slot;
    if (!ring.IsOf(position, slot.commit)) missing.push_back(position);
  }
  const uint64_t head = ring.LiveHead();
  if (head > ring.capacity()) copy.begin = std::max(copy.begin, head - ring.capacity());
  copy.begin = std::min(copy.begin, copy.end);
  for (uint64_t position : missing) {
    if (position < copy.begin) continue;
    // A program is held up here: one event of an unknown category.
    const uint64_t time = position > copy.begin ? to[(position - 1) & mask].commit : now_;
    const fxr_payload loss = fxr_pack_loss({.count = 1, .category = FXR_CATEGORY_SCHED});
    to[position & mask] = {
        fxr_pack_commit(FXR_SLOT_LOSS, loss.extra, time, (position >> ring.shift()) + 1),
        loss.body};
  }
}

void RingImage::ReleaseBefore(uint64_t position, Ring& ring) const {
  static const uint64_t per_page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / sizeof(fxr_slot);
  const uint64_t capacity = uint64_t{1} << shift_;
  // Whole pages: the first one may hold the last slots too.
  uint64_t from = std::max(ring.released, (ring.begin + per_page - 1) / per_page * per_page);
  const uint64_t to = position / per_page * per_page;
  while (from < to) {
    const uint64_t at = from & (capacity - 1);
    const uint64_t count = std::min(to - from, capacity - at);
    madvise(ring.slots.get() + at, count * sizeof(fxr_slot), MADV_DONTNEED);
    from += count;
  }
  ring.released = from;
}

uint64_t RingImage::slots() const {
  uint64_t slots = 0;
  for (const Ring& ring : rings_) slots += ring.end - ring.begin;
  return slots;
}

}  // namespace capture
