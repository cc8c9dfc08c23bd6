// SPDX-License-Identifier: BSD-2-Clause
#include "branches/branch_stack_writer.h"

#include <fmt/core.h>

#include <string>

namespace branches {

static_assert(5 + 2 * BranchStackWriter::kMirroredBranches <= fxt::kMaxArguments);

BranchStackWriter::BranchStackWriter(fxt::ProviderWriter& writer)
    : writer_(writer),
      category_(writer.Declare("lbr")),
      name_(writer.Declare("branch_stack")),
      cpu_(writer.Declare("cpu")),
      branches_name_(writer.Declare("branches")),
      mispredicted_(writer.Declare("mispredicted")),
      cycles_(writer.Declare("cycles")),
      event_(writer.Declare("event")) {
  for (size_t i = 0; i < kMirroredBranches; ++i) {
    from_[i] = writer.Declare(fmt::format("from{}", i));
    to_[i] = writer.Declare(fmt::format("to{}", i));
  }
}

fxt::EncodeStatus BranchStackWriter::Write(const perf::BranchStackSample& sample,
                                           const fxt::ThreadKey& thread) {
  EncodeStack(sample, &encoded_);
  fxt::RecordScope scope = writer_.Begin(thread);
  fxt::EncodeStatus status = WriteBlobs(scope);
  if (status == fxt::EncodeStatus::kOk) status = WriteInstant(sample, scope);
  if (status == fxt::EncodeStatus::kOk) {
    ++samples_;
    branches_ += sample.entries.size();
  }
  return status;
}

fxt::EncodeStatus BranchStackWriter::WriteBlobs(fxt::RecordScope& scope) {
  const std::string name = BlobName(encoded_.cpu);
  const std::string companion_name = name + std::string(kCompanionSuffix);
  fxt::EncodeStatus status =
      scope.Write(fxt::Blob{.name = scope.Intern(name),
                            .type = static_cast<uint8_t>(fxt::BlobType::kLastBranch),
                            .payload = encoded_.blob});
  for (const std::vector<std::byte>& companion : encoded_.companions) {
    if (status != fxt::EncodeStatus::kOk) break;
    status = scope.Write(fxt::Blob{.name = scope.Intern(companion_name),
                                   .type = static_cast<uint8_t>(fxt::BlobType::kData),
                                   .payload = companion});
  }
  return status;
}

fxt::EncodeStatus BranchStackWriter::WriteInstant(const perf::BranchStackSample& sample,
                                                  fxt::RecordScope& scope) {
  uint32_t filled = 0;
  uint32_t mispredicted = 0;
  uint64_t cycles = 0;
  std::array<fxt::Argument, fxt::kMaxArguments> arguments;
  size_t count = 0;
  std::array<fxt::Argument, 2 * kMirroredBranches> mirrored;
  size_t mirrored_count = 0;
  for (const perf::BranchEntry& entry : sample.entries) {
    if (entry.unfilled()) continue;
    if (filled < kMirroredBranches) {
      mirrored[mirrored_count++] = {scope.Refer(from_[filled]), fxt::PointerValue{entry.from}};
      mirrored[mirrored_count++] = {scope.Refer(to_[filled]), fxt::PointerValue{entry.to}};
    }
    ++filled;
    mispredicted += entry.mispredicted();
    cycles += entry.cycles();
  }
  if (sample.cpu) arguments[count++] = {scope.Refer(cpu_), static_cast<int32_t>(*sample.cpu)};
  arguments[count++] = {scope.Refer(branches_name_), filled};
  arguments[count++] = {scope.Refer(mispredicted_), mispredicted};
  if (cycles != 0) arguments[count++] = {scope.Refer(cycles_), cycles};
  if (!sample.event.empty()) arguments[count++] = {scope.Refer(event_), scope.Intern(sample.event)};
  for (size_t i = 0; i < mirrored_count; ++i) arguments[count++] = mirrored[i];
  return scope.Write(fxt::Event{.type = fxt::EventType::kInstant,
                                .timestamp = sample.time,
                                .thread = scope.thread(),
                                .category = scope.Refer(category_),
                                .name = scope.Refer(name_),
                                .arguments = {arguments.data(), count}});
}

}  // namespace branches
