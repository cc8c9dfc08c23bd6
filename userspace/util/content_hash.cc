// SPDX-License-Identifier: BSD-2-Clause
#include "util/content_hash.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace util {
namespace {

// The odd factors of xxHash: each bit of a word moves through all bits of its lane.
constexpr uint64_t kPrime1 = 0x9e3779b185ebca87;
constexpr uint64_t kPrime2 = 0xc2b2ae3d27d4eb4f;

uint64_t Mixed(uint64_t value) {
  value = (value ^ value >> 33) * kPrime2;
  value = (value ^ value >> 29) * kPrime1;
  return value ^ value >> 32;
}

}  // namespace

void ContentHash::AddStep(const std::byte* bytes) {
  for (size_t i = 0; i < lanes_.size(); ++i) {
    uint64_t word = 0;
    std::memcpy(&word, bytes + i * sizeof(word), sizeof(word));
    lanes_[i] = std::rotl(lanes_[i] + word * kPrime2, 31) * kPrime1;
  }
}

void ContentHash::Add(std::span<const std::byte> bytes) {
  // Its data may be null, which memcpy() does not allow.
  if (bytes.empty()) return;
  total_ += bytes.size();
  if (rest_bytes_ != 0) {
    const size_t taken = std::min(kStep - rest_bytes_, bytes.size());
    std::memcpy(rest_.data() + rest_bytes_, bytes.data(), taken);
    rest_bytes_ += taken;
    bytes = bytes.subspan(taken);
    if (rest_bytes_ < kStep) return;
    AddStep(rest_.data());
    rest_bytes_ = 0;
  }
  for (; bytes.size() >= kStep; bytes = bytes.subspan(kStep)) AddStep(bytes.data());
  if (!bytes.empty()) std::memcpy(rest_.data(), bytes.data(), bytes.size());
  rest_bytes_ = bytes.size();
}

ContentHash::Value ContentHash::Finish() {
  std::fill(rest_.begin() + static_cast<ptrdiff_t>(rest_bytes_), rest_.end(), std::byte{0});
  AddStep(rest_.data());
  rest_bytes_ = 0;
  Value value{.low = total_, .high = ~total_};
  for (const uint64_t lane : lanes_) {
    value.low = Mixed(value.low ^ lane);
    value.high = Mixed(std::rotl(value.high, 17) + lane * kPrime1);
  }
  return value;
}

uint64_t ContentHash::Of(std::span<const std::byte> bytes) {
  ContentHash hash;
  hash.Add(bytes);
  return hash.Finish().low;
}

}  // namespace util
