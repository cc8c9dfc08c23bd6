// SPDX-License-Identifier: BSD-2-Clause
#include "branches/last_branch.h"

#include <cstring>

namespace branches {

LastBranchView::LastBranchView(std::span<const std::byte> payload) : payload_(payload) {
  std::memcpy(&head_, payload.data(), sizeof(head_));
}

std::optional<LastBranchView> LastBranchView::Of(const fxt::Blob& blob) {
  if (blob.type != static_cast<uint8_t>(fxt::BlobType::kLastBranch)) return std::nullopt;
  if (blob.payload.size() < kHeaderBytes) return std::nullopt;
  const LastBranchView view(blob.payload);
  if ((blob.payload.size() - kHeaderBytes) / kBranchBytes < view.branches()) return std::nullopt;
  return view;
}

LastBranch LastBranchView::branch(size_t index) const {
  LastBranch branch;
  std::memcpy(&branch, payload_.data() + kHeaderBytes + index * kBranchBytes, sizeof(branch));
  return branch;
}

size_t LastBranchView::trailing_bytes() const {
  return payload_.size() - kHeaderBytes - size_t{branches()} * kBranchBytes;
}

}  // namespace branches
