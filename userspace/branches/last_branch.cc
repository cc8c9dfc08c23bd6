// SPDX-License-Identifier: BSD-2-Clause
#include "branches/last_branch.h"

#include <cstring>

namespace branches {
namespace {

template <typename T>
T Load(std::span<const std::byte> bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

}  // namespace

std::optional<LastBranchView> LastBranchView::Of(const fxt::Blob& blob) {
  if (blob.type != static_cast<uint8_t>(fxt::BlobType::kLastBranch)) return std::nullopt;
  if (blob.payload.size() < kHeaderBytes) return std::nullopt;
  const LastBranchView view(blob.payload);
  if ((blob.payload.size() - kHeaderBytes) / kBranchBytes < view.branches()) return std::nullopt;
  return view;
}

uint16_t LastBranchView::cpu() const { return Load<uint16_t>(payload_, 0); }
uint16_t LastBranchView::branches() const { return Load<uint16_t>(payload_, 2); }
uint32_t LastBranchView::reserved() const { return Load<uint32_t>(payload_, 4); }
fxt::Ticks LastBranchView::time() const { return Load<uint64_t>(payload_, 8); }
uint64_t LastBranchView::address_space() const { return Load<uint64_t>(payload_, 16); }

LastBranch LastBranchView::branch(size_t index) const {
  const size_t at = kHeaderBytes + index * kBranchBytes;
  return {Load<uint64_t>(payload_, at), Load<uint64_t>(payload_, at + 8),
          Load<uint64_t>(payload_, at + 16)};
}

size_t LastBranchView::trailing_bytes() const {
  return payload_.size() - kHeaderBytes - size_t{branches()} * kBranchBytes;
}

}  // namespace branches
