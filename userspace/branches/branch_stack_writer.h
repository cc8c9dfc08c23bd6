// SPDX-License-Identifier: BSD-2-Clause
// Branch stacks into an FXT file, from a live ring or an imported one: the blobs, and an instant
// that mirrors the stack where viewers look. docs/lbr.md describes both.
#pragma once

#include <array>
#include <cstdint>

#include "branches/last_branch_blob.h"
#include "fxt/provider_writer.h"
#include "perf/record/branch_stack_sample.h"

namespace branches {

class BranchStackWriter {
 public:
  // Branches that the instant names.
  static constexpr size_t kMirroredBranches = 5;

  // `writer` must outlive this. Declares its strings there.
  explicit BranchStackWriter(fxt::ProviderWriter& writer);

  // Writes the last-branch blob, its companions if the sample has more to say, and the instant on
  // `thread` (which is named in the file already), all at sample.time. What is not kOk is the first
  // failure; a record that failed is not in the file, those before it are.
  fxt::EncodeStatus Write(const perf::BranchStackSample& sample, const fxt::ThreadKey& thread);

  uint64_t samples() const { return samples_; }
  uint64_t branches() const { return branches_; }  // unfilled slots included

 private:
  fxt::EncodeStatus WriteBlobs(fxt::RecordScope& scope);
  fxt::EncodeStatus WriteInstant(const perf::BranchStackSample& sample, fxt::RecordScope& scope);

  fxt::ProviderWriter& writer_;
  fxt::StringId category_;
  fxt::StringId name_;
  fxt::StringId cpu_;
  fxt::StringId branches_name_;
  fxt::StringId mispredicted_;
  fxt::StringId cycles_;
  fxt::StringId event_;
  std::array<fxt::StringId, kMirroredBranches> from_;
  std::array<fxt::StringId, kMirroredBranches> to_;
  EncodedStack encoded_;
  uint64_t samples_ = 0;
  uint64_t branches_ = 0;
};

}  // namespace branches
