// SPDX-License-Identifier: BSD-2-Clause
// The payload of last-branch blobs (blob type 2), as far as reading needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "fxt/record.h"

namespace branches {

struct LastBranch {
  uint64_t from = 0;
  uint64_t to = 0;
  uint64_t info = 0;
};

// Views the payload: u16 cpu; u16 number of branches; u32 zero; u64 time in ticks; u64 address
// space; then per branch, newest first, u64 from, u64 to, u64 info; all little-endian.
class LastBranchView {
 public:
  static constexpr size_t kHeaderBytes = 24;
  static constexpr size_t kBranchBytes = 24;
  static constexpr size_t kMaxBranches = 32;

  // Empty for other blobs, and for a payload too short for its own number of branches.
  static std::optional<LastBranchView> Of(const fxt::Blob& blob);

  uint16_t cpu() const;
  uint16_t branches() const;
  uint32_t reserved() const;  // zero
  fxt::Ticks time() const;
  uint64_t address_space() const;
  LastBranch branch(size_t index) const;  // below branches()
  // Payload bytes behind the last branch; none by the layout.
  size_t trailing_bytes() const;

 private:
  explicit LastBranchView(std::span<const std::byte> payload) : payload_(payload) {}

  std::span<const std::byte> payload_;
};

}  // namespace branches
