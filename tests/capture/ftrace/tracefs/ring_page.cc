// SPDX-License-Identifier: BSD-2-Clause
#include "capture/ftrace/tracefs/ring_page.h"

#include <cstring>

namespace truth {
namespace {

// enum ring_buffer_type in include/linux/ring_buffer.h.
constexpr uint32_t kDataTypeLengthMax = 28;
constexpr uint32_t kPadding = 29;
constexpr uint32_t kTimeExtend = 30;
constexpr uint32_t kTimeStamp = 31;
constexpr unsigned kDeltaBits = 27;
// Flags kept in the upper bits of the commit word when a page is read out.
constexpr uint64_t kMissedEvents = 1u << 31;
constexpr uint64_t kMissedStored = 1u << 30;
constexpr uint64_t kCommitMask = kMissedStored - 1;
// An absolute time stamp event carries 59 bits; the rest come from the time before it.
constexpr uint64_t kAbsoluteMask = (uint64_t{1} << 59) - 1;

template <typename T>
T Load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

}  // namespace

util::Result<PageLayout> PageLayout::Parse(std::string_view text) {
  auto parsed = ParseEventFormat(text);
  if (!parsed.ok()) return parsed.TakeError();
  const FormatField* timestamp = parsed->Find("timestamp");
  const FormatField* commit = parsed->Find("commit");
  const FormatField* data = parsed->Find("data");
  if (!timestamp || !commit || !data || timestamp->size != 8 || data->size == 0) {
    return util::Error{"events/header_page lacks a field", ""};
  }
  return PageLayout{*timestamp, *commit, *data};
}

util::Result<PageLoss> VisitPage(const PageLayout& layout, std::span<const std::byte> page,
                                 const EventVisitor& visit) {
  const auto base = ReadInteger(layout.timestamp, page);
  const auto commit_word = ReadInteger(layout.commit, page);
  if (!base || !commit_word) return util::Error{"short ring buffer page", ""};
  const uint64_t commit = static_cast<uint64_t>(*commit_word) & kCommitMask;
  if (commit > page.size() - layout.data.offset) {
    return util::Error{"ring buffer page claims more bytes than it has", ""};
  }
  const std::span<const std::byte> data = page.subspan(layout.data.offset, commit);

  PageLoss loss;
  loss.missed = (*commit_word & kMissedEvents) != 0;
  if ((*commit_word & kMissedStored) != 0 && layout.data.offset + commit + 8 <= page.size()) {
    loss.known = Load<uint64_t>(page.data() + layout.data.offset + commit);
  }

  uint64_t time = static_cast<uint64_t>(*base);
  size_t at = 0;
  while (at + 4 <= data.size()) {
    const uint32_t header = Load<uint32_t>(data.data() + at);
    const uint32_t type_length = header & 0x1f;
    const uint64_t delta = header >> 5;
    const bool has_word = at + 8 <= data.size();
    const uint32_t word = has_word ? Load<uint32_t>(data.data() + at + 4) : 0;
    size_t payload_at = at + 4;
    size_t payload_bytes = 0;
    switch (type_length) {
      case kPadding:
        // A null delta means that the rest of the page is unused; otherwise a discarded event.
        if (delta == 0) return loss;
        if (!has_word || word < 4) return util::Error{"bad padding in a ring buffer page", ""};
        // The value 1 marks a discarded event without a delta.
        if (delta > 1) time += delta;
        at += 4 + size_t{word};
        continue;
      case kTimeExtend:
      case kTimeStamp:
        if (!has_word) return util::Error{"cut time stamp in a ring buffer page", ""};
        if (type_length == kTimeExtend) {
          time += (uint64_t{word} << kDeltaBits) + delta;
        } else {
          time = (time & ~kAbsoluteMask) | ((uint64_t{word} << kDeltaBits) + delta);
        }
        at += 8;
        continue;
      case 0:
        if (!has_word || word < 4) return util::Error{"bad event size in a ring buffer page", ""};
        payload_at = at + 8;
        payload_bytes = word - 4;
        break;
      default:
        static_assert(kDataTypeLengthMax < kPadding);
        payload_bytes = size_t{type_length} * 4;
        break;
    }
    if (payload_at > data.size() || payload_bytes > data.size() - payload_at) {
      return util::Error{"event beyond the end of its ring buffer page", ""};
    }
    time += delta;
    visit(time, data.subspan(payload_at, payload_bytes));
    // Sizes are multiples of four already, but a length word need not be.
    at = payload_at + ((payload_bytes + 3) & ~size_t{3});
  }
  return loss;
}

}  // namespace truth
