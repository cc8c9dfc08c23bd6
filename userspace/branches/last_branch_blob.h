// SPDX-License-Identifier: BSD-2-Clause
// Branch stacks in FXT files: Fuchsia's last-branch blob, and a companion blob with the fields that
// its layout lacks. docs/lbr.md has both layouts.
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

// Limit of a last-branch blob; a longer stack continues in companions.
inline constexpr size_t kBlobBranches = LastBranchView::kMaxBranches;
// The CPU number of a sample without a CPU.
inline constexpr uint16_t kBlobCpuUnknown = 0xffff;
// The suffix of a companion blob's name after that of its last-branch blob.
inline constexpr std::string_view kCompanionSuffix = ".lbr-ext";

// `info` of a branch in the blob: bits 0..15 cycles, 61 aborted, 62 in transaction, 63
// mispredicted, as in the hardware's LBR_INFO register.
uint64_t InfoFromFlags(uint64_t flags);
// The inverse. Fields that the layout lacks get their usual value: predicted if not mispredicted,
// otherwise zero. Bit 16 also counts as mispredicted, as in an older header.
uint64_t FlagsFromInfo(uint64_t info);

// "cpu3".
std::string BlobName(uint16_t cpu);

// The blobs of one sample in writing order. Reusable; it keeps its memory.
struct EncodedStack {
  uint16_t cpu = 0;
  std::vector<std::byte> blob;                     // type last branch, named BlobName(cpu)
  std::vector<std::vector<std::byte>> companions;  // type data, with kCompanionSuffix; may be none
};
void EncodeStack(const perf::BranchStackSample& sample, EncodedStack* out);

// Restores samples from the blobs of one provider, fed in file order.
class StackDecoder {
 public:
  // Takes a last-branch blob, which begins a new sample. An error if the payload is shorter than
  // its header requires.
  util::Status TakeBlob(util::Bytes payload);
  // Takes a data blob of any name. Returns true if it is a companion of the current sample. An
  // error if a companion is malformed.
  util::Result<bool> TakeCompanion(std::string_view name, util::Bytes payload);
  // Time of the current sample in ticks, as in the blob; 0 without a sample.
  uint64_t time() const { return sample_ ? sample_->time : 0; }
  // Returns the current sample, if there is one, and resets the decoder. Must be called before
  // TakeBlob() and at the end.
  std::optional<perf::BranchStackSample> Finish();

 private:
  std::optional<perf::BranchStackSample> sample_;
  std::string name_;  // of the sample's companions
};

}  // namespace branches
