// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/path/packed_parts.h"

#include <array>

namespace analyze {
namespace {

// A part is a byte of its kind and of what else there is, its length, its thread plus one, and
// that.
constexpr uint8_t kKindMask = 0xf;
constexpr uint8_t kIdleCpu = 0x10;
constexpr uint8_t kHolder = 0x20;
constexpr uint8_t kWaiter = 0x40;  // and its depth
constexpr uint8_t kWaitedFor = 0x80;
// The head, a length, and seven numbers of 32 bits.
constexpr size_t kMaxPartBytes = 1 + 10 + 7 * 5;

uint8_t* PutNumber(uint8_t* at, uint64_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<uint8_t>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<uint8_t>(value);
  return at;
}

uint64_t TakeNumber(const uint8_t*& at) {
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const uint8_t byte = *at++;
    value |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
}

uint32_t TakeIndex(const uint8_t*& at) { return static_cast<uint32_t>(TakeNumber(at)); }

}  // namespace

PackedParts::PackedParts(uint64_t begin, std::span<const path::Part> parts)
    : begin_(begin), size_(parts.size()) {
  std::vector<uint8_t> packed;
  packed.reserve(parts.size() * 12);
  for (const path::Part& part : parts) {
    std::array<uint8_t, kMaxPartBytes> buffer;
    uint8_t* at = buffer.data();
    const bool has_waiter = part.waiter != facts::kNoThread || part.depth != 0;
    const bool has_waited_for = part.waited_for != path::WaitedFor{};
    *at++ = static_cast<uint8_t>(static_cast<unsigned>(part.kind) | (part.idle_cpu ? kIdleCpu : 0) |
                                 (part.holder != facts::kNoThread ? kHolder : 0) |
                                 (has_waiter ? kWaiter : 0) | (has_waited_for ? kWaitedFor : 0));
    at = PutNumber(at, part.length);
    at = PutNumber(at, part.thread + 1);
    if (part.holder != facts::kNoThread) at = PutNumber(at, part.holder);
    if (has_waiter) {
      at = PutNumber(at, part.waiter + 1);
      at = PutNumber(at, part.depth);
    }
    if (has_waited_for) {
      for (const path::Label label :
           {part.waited_for.what, part.waited_for.object, part.waited_for.stack}) {
        at = PutNumber(at, label);
      }
    }
    packed.insert(packed.end(), buffer.data(), at);
  }
  bytes_.assign(packed.begin(), packed.end());
}

std::vector<path::Part> PackedParts::Unpack() const {
  std::vector<path::Part> parts;
  parts.reserve(size_);
  const uint8_t* at = bytes_.data();
  uint64_t begin = begin_;
  for (size_t i = 0; i < size_; ++i) {
    const uint8_t head = *at++;
    path::Part part;
    part.kind = static_cast<path::PartKind>(head & kKindMask);
    part.idle_cpu = (head & kIdleCpu) != 0;
    part.begin = begin;
    part.length = TakeNumber(at);
    begin += part.length;
    part.thread = TakeIndex(at) - 1;
    if ((head & kHolder) != 0) part.holder = TakeIndex(at);
    if ((head & kWaiter) != 0) {
      part.waiter = TakeIndex(at) - 1;
      part.depth = static_cast<uint16_t>(TakeIndex(at));
    }
    if ((head & kWaitedFor) != 0) {
      part.waited_for.what = TakeIndex(at);
      part.waited_for.object = TakeIndex(at);
      part.waited_for.stack = TakeIndex(at);
    }
    parts.push_back(part);
  }
  return parts;
}

}  // namespace analyze
