// SPDX-License-Identifier: BSD-2-Clause
// The payload of last-branch blobs (blob type 2): its layout and a view.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "fxt/record.h"

namespace branches {

// The head of the payload, little-endian; the branches follow, newest first.
struct LastBranchHead {
  uint16_t cpu = 0;
  uint16_t branches = 0;
  uint32_t reserved = 0;
  fxt::Ticks time = 0;
  uint64_t address_space =
      0;  // the process id in our files, because Linux does not expose the page table base
};
static_assert(sizeof(LastBranchHead) == 24);

struct LastBranch {
  uint64_t from = 0;
  uint64_t to = 0;
  uint64_t info = 0;
};
static_assert(sizeof(LastBranch) == 24);

class LastBranchView {
 public:
  static constexpr size_t kHeaderBytes = sizeof(LastBranchHead);
  static constexpr size_t kBranchBytes = sizeof(LastBranch);
  static constexpr size_t kMaxBranches = 32;

  // Empty for other blobs, and for a payload shorter than its number of branches requires.
  static std::optional<LastBranchView> Of(const fxt::Blob& blob);

  uint16_t cpu() const { return head_.cpu; }
  uint16_t branches() const { return head_.branches; }
  uint32_t reserved() const { return head_.reserved; }  // zero
  fxt::Ticks time() const { return head_.time; }
  uint64_t address_space() const { return head_.address_space; }
  LastBranch branch(size_t index) const;  // below branches()
  // Payload bytes after the last branch; 0 in a valid payload.
  size_t trailing_bytes() const;

 private:
  explicit LastBranchView(std::span<const std::byte> payload);

  std::span<const std::byte> payload_;
  LastBranchHead head_;
};

}  // namespace branches
