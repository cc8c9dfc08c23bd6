// SPDX-License-Identifier: BSD-2-Clause
// Writes branch stacks into an FXT file: the blobs, and an instant that repeats the stack for
// viewers. docs/lbr.md describes both.
#pragma once

#include <array>
#include <cstdint>

#include "branches/last_branch_blob.h"
#include "fxt/provider_writer.h"
#include "perf/record/branch_stack_sample.h"

namespace branches {

class BranchStackWriter {
 public:
  // Branches in the instant.
  static constexpr size_t kMirroredBranches = 5;

  // `writer` must outlive this object, which declares its strings there.
  explicit BranchStackWriter(fxt::ProviderWriter& writer);

  // Writes the last-branch blob, its companions if the sample has further fields, and the instant
  // on `thread`, which must be announced. All have sample.time. Returns the first failure; the
  // failed record is not in the file, earlier ones are.
  fxt::EncodeStatus Write(const perf::BranchStackSample& sample, const fxt::ThreadKey& thread);

  uint64_t samples() const { return samples_; }
  uint64_t branches() const { return branches_; }  // including unfilled slots

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
