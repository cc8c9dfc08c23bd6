// SPDX-License-Identifier: BSD-2-Clause
// Branch stacks in FXT files: the payload of Fuchsia's last-branch blob, and that of the companion
// blob behind it, which keeps what that layout has no place for. docs/lbr.md has both layouts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "branches/last_branch.h"
#include "perf/record/branch_stack_sample.h"
#include "util/byte_cursor.h"
#include "util/result.h"

namespace branches {

// Most branches a last-branch blob holds; a longer stack goes on in companions.
inline constexpr size_t kBlobBranches = LastBranchView::kMaxBranches;
// The CPU number of a sample whose CPU was not recorded.
inline constexpr uint16_t kBlobCpuUnknown = 0xffff;
// A companion blob has the name of its last-branch blob and this behind it.
inline constexpr std::string_view kCompanionSuffix = ".lbr-ext";

// `info` of a branch in the blob: bits 0..15 cycles, 61 aborted, 62 in transaction, 63
// mispredicted, as in the hardware's LBR_INFO register.
uint64_t InfoFromFlags(uint64_t flags);
// Back again. What the layout does not say is taken as usual: predicted when not mispredicted,
// everything else zero. Bit 16 counts as mispredicted, too: an older header has it there.
uint64_t FlagsFromInfo(uint64_t info);

// "cpu3".
std::string BlobName(uint16_t cpu);

// The blobs of one sample, in the order they are to be written. Reuse it: it keeps its memory.
struct EncodedStack {
  uint16_t cpu = 0;
  std::vector<std::byte> blob;                     // type last branch, named BlobName(cpu)
  std::vector<std::vector<std::byte>> companions;  // type data, with kCompanionSuffix; may be none
};
void EncodeStack(const perf::BranchStackSample& sample, EncodedStack* out);

// Puts samples together again from the blobs of one provider, fed in file order.
class StackDecoder {
 public:
  // A last-branch blob; begins a new sample. Error: the payload is shorter than what it announces.
  util::Status TakeBlob(util::Bytes payload);
  // A data blob of any name. True if it was a companion of the current sample; others are left
  // alone. Error: it is one, but damaged.
  util::Result<bool> TakeCompanion(std::string_view name, util::Bytes payload);
  // Time of the current sample as the blob has it (ticks); 0 if there is none.
  uint64_t time() const { return sample_ ? sample_->time : 0; }
  // The current sample, if there is one; afterwards there is none. Call it before TakeBlob() and at
  // the end.
  std::optional<perf::BranchStackSample> Finish();

 private:
  std::optional<perf::BranchStackSample> sample_;
  std::string name_;  // of the sample's companions
};

}  // namespace branches
