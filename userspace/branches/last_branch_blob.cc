// SPDX-License-Identifier: BSD-2-Clause
#include "branches/last_branch_blob.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "branches/last_branch.h"
#include "perf/record/perf_abi.h"

namespace branches {

namespace {

constexpr uint64_t kInfoMispredicted = uint64_t{1} << 63;
constexpr uint64_t kInfoInTransaction = uint64_t{1} << 62;
constexpr uint64_t kInfoAborted = uint64_t{1} << 61;
constexpr uint64_t kInfoMispredictedOld = uint64_t{1} << 16;

constexpr uint16_t kCompanionVersion = 1;

struct CompanionHead {
  uint16_t version = kCompanionVersion;
  uint16_t cpu = 0;
  uint32_t fields = 0;  // Field bits
  uint64_t time = 0;
  uint32_t first = 0;  // index in the stack of the part's first branch
  uint32_t count = 0;  // number of branches in the part
};
static_assert(sizeof(CompanionHead) == 24);

// Fields are stored in the order of these bits.
enum Field : uint32_t {
  kTask = 1 << 0,      // u32 process id, u32 thread id
  kIp = 1 << 1,        // u64
  kPeriod = 1 << 2,    // u64
  kHwIdx = 1 << 3,     // u64
  kEvent = 1 << 4,     // u64 length in bytes, then the name padded with zeros to 8 bytes
  kBranches = 1 << 5,  // per branch: u64 from, u64 to
  kFlags = 1 << 6,     // per branch: u64, as in struct perf_branch_entry
  kCounters = 1 << 7,  // per branch: u64
};

// Branches per continuation: 32 bytes each with all fields, well below the record limit.
constexpr size_t kBranchesPerPart = 512;
// Limit of a decoded stack. A perf sample is at most 64 KiB, so none is longer.
constexpr size_t kMaxBranches = 0x10000 / sizeof(perf::BranchEntry);
constexpr size_t kMaxEventName = 1024;

template <typename T>
void Put(const T& value, std::vector<std::byte>* out) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  out->insert(out->end(), bytes, bytes + sizeof(value));
}

bool SaysMoreThanInfo(const perf::BranchEntry& entry) {
  return FlagsFromInfo(InfoFromFlags(entry.flags)) != entry.flags;
}

uint32_t FieldsOfSample(const perf::BranchStackSample& sample) {
  uint32_t fields = 0;
  if (sample.tid != sample.pid) fields |= kTask;
  if (sample.ip) fields |= kIp;
  if (sample.period) fields |= kPeriod;
  if (sample.hw_idx) fields |= kHwIdx;
  if (!sample.event.empty()) fields |= kEvent;
  return fields;
}

// Encodes one part of a companion: the sample's own fields in the first part, then the branches
// [first, first + count).
void EncodePart(const perf::BranchStackSample& sample, uint16_t cpu, uint32_t fields, size_t first,
                size_t count, std::vector<std::byte>* out) {
  out->clear();
  CompanionHead head;
  head.cpu = cpu;
  head.fields = fields;
  head.time = sample.time;
  head.first = static_cast<uint32_t>(first);
  head.count = static_cast<uint32_t>(count);
  Put(head, out);
  if (fields & kTask) {
    Put(sample.pid, out);
    Put(sample.tid, out);
  }
  if (fields & kIp) Put(*sample.ip, out);
  if (fields & kPeriod) Put(*sample.period, out);
  if (fields & kHwIdx) Put(*sample.hw_idx, out);
  if (fields & kEvent) {
    const std::string_view name = std::string_view(sample.event).substr(0, kMaxEventName);
    Put(uint64_t{name.size()}, out);
    const auto* bytes = reinterpret_cast<const std::byte*>(name.data());
    out->insert(out->end(), bytes, bytes + name.size());
    out->resize((out->size() + 7) / 8 * 8);
  }
  for (size_t i = first; (fields & kBranches) && i < first + count; ++i) {
    Put(sample.entries[i].from, out);
    Put(sample.entries[i].to, out);
  }
  for (size_t i = first; (fields & kFlags) && i < first + count; ++i) {
    Put(sample.entries[i].flags, out);
  }
  for (size_t i = first; (fields & kCounters) && i < first + count; ++i) {
    Put(sample.counters[i], out);
  }
}

}  // namespace

uint64_t InfoFromFlags(uint64_t flags) {
  const perf::BranchEntry entry{0, 0, flags};
  uint64_t info = entry.cycles();
  if (entry.mispredicted()) info |= kInfoMispredicted;
  if (entry.in_transaction()) info |= kInfoInTransaction;
  if (entry.aborted()) info |= kInfoAborted;
  return info;
}

uint64_t FlagsFromInfo(uint64_t info) {
  uint64_t flags = (info & 0xffff) << perf::BranchEntry::kCyclesShift;
  flags |= info & (kInfoMispredicted | kInfoMispredictedOld) ? perf::BranchEntry::kMispredicted
                                                             : perf::BranchEntry::kPredicted;
  if (info & kInfoInTransaction) flags |= perf::BranchEntry::kInTransaction;
  if (info & kInfoAborted) flags |= perf::BranchEntry::kAborted;
  return flags;
}

std::string BlobName(uint16_t cpu) { return fmt::format("cpu{}", cpu); }

void EncodeStack(const perf::BranchStackSample& sample, EncodedStack* out) {
  const size_t total = sample.entries.size();
  const size_t in_blob = std::min(total, kBlobBranches);
  LastBranchHead head;
  // No Linux machine has more CPUs than fit 16 bits.
  head.cpu = static_cast<uint16_t>(
      std::min<uint32_t>(sample.cpu.value_or(kBlobCpuUnknown), kBlobCpuUnknown));
  head.branches = static_cast<uint16_t>(in_blob);
  head.time = sample.time;
  head.address_space = sample.pid;
  out->cpu = head.cpu;
  out->blob.clear();
  Put(head, &out->blob);
  uint32_t fields = FieldsOfSample(sample);
  for (size_t i = 0; i < in_blob; ++i) {
    const perf::BranchEntry& entry = sample.entries[i];
    Put(LastBranch{entry.from, entry.to, InfoFromFlags(entry.flags)}, &out->blob);
    if (SaysMoreThanInfo(entry)) fields |= kFlags;
  }
  if (total != 0 && sample.counters.size() == total) fields |= kCounters;

  const size_t first_part = fields != 0 ? 1 : 0;
  const size_t parts = first_part + (total - in_blob + kBranchesPerPart - 1) / kBranchesPerPart;
  out->companions.resize(parts);
  if (first_part != 0) EncodePart(sample, head.cpu, fields, 0, in_blob, &out->companions[0]);
  const uint32_t continuation = kBranches | kFlags | (fields & kCounters);
  size_t first = in_blob;
  for (size_t part = first_part; part < parts; ++part) {
    const size_t count = std::min(kBranchesPerPart, total - first);
    EncodePart(sample, head.cpu, continuation, first, count, &out->companions[part]);
    first += count;
  }
}

util::Status StackDecoder::TakeBlob(util::Bytes payload) {
  sample_.reset();
  util::ByteCursor cursor(payload);
  LastBranchHead head;
  util::PackedView<LastBranch> branches;
  if (!cursor.Read(&head) || !cursor.TakeArray(head.branches, &branches)) {
    return util::Error{fmt::format("last-branch blob of {} bytes is shorter than its {} branches",
                                   payload.size(), head.branches),
                       ""};
  }
  perf::BranchStackSample sample;
  sample.time = head.time;
  if (head.cpu != kBlobCpuUnknown) sample.cpu = head.cpu;
  sample.pid = static_cast<uint32_t>(head.address_space);
  sample.tid = sample.pid;
  sample.entries.reserve(branches.size());
  for (const LastBranch branch : branches) {
    sample.entries.push_back({branch.from, branch.to, FlagsFromInfo(branch.info)});
  }
  sample_ = std::move(sample);
  name_ = BlobName(head.cpu).append(kCompanionSuffix);
  return util::Ok();
}

util::Result<bool> StackDecoder::TakeCompanion(std::string_view name, util::Bytes payload) {
  if (!sample_ || name != name_) return false;
  const util::Error damaged{
      fmt::format("companion blob {} of {} bytes is damaged", name, payload.size()), ""};
  util::ByteCursor cursor(payload);
  CompanionHead head;
  if (!cursor.Read(&head)) return damaged;
  // A companion of a later version or of another sample is ignored.
  if (head.version != kCompanionVersion || head.time != sample_->time) return false;
  const bool continues = (head.fields & kBranches) != 0;
  const size_t place = continues ? sample_->entries.size() : 0;
  if (head.first != place || head.count > kMaxBranches - place) return damaged;
  if (!continues && head.count != sample_->entries.size()) return damaged;

  perf::BranchStackSample sample = *sample_;
  uint32_t task[2];
  if (head.fields & kTask) {
    if (!cursor.Read(&task)) return damaged;
    sample.pid = task[0];
    sample.tid = task[1];
  }
  const auto word = [&](uint32_t field, std::optional<uint64_t>* out) {
    uint64_t value;
    if (!(head.fields & field)) return true;
    if (!cursor.Read(&value)) return false;
    *out = value;
    return true;
  };
  if (!word(kIp, &sample.ip) || !word(kPeriod, &sample.period) || !word(kHwIdx, &sample.hw_idx)) {
    return damaged;
  }
  if (head.fields & kEvent) {
    uint64_t size;
    util::Bytes text;
    if (!cursor.Read(&size) || size > kMaxEventName || !cursor.Take((size + 7) / 8 * 8, &text)) {
      return damaged;
    }
    sample.event.assign(reinterpret_cast<const char*>(text.data()), size);
  }
  if (continues) {
    util::PackedView<std::array<uint64_t, 2>> branches;
    if (!cursor.TakeArray(head.count, &branches)) return damaged;
    for (const auto branch : branches) sample.entries.push_back({branch[0], branch[1], 0});
  }
  if (head.fields & kFlags) {
    util::PackedView<uint64_t> flags;
    if (!cursor.TakeArray(head.count, &flags)) return damaged;
    for (size_t i = 0; i < flags.size(); ++i) sample.entries[place + i].flags = flags[i];
  }
  if (head.fields & kCounters) {
    util::PackedView<uint64_t> counters;
    if (sample.counters.size() != place || !cursor.TakeArray(head.count, &counters)) return damaged;
    sample.counters.insert(sample.counters.end(), counters.begin(), counters.end());
  }
  sample_ = std::move(sample);
  return true;
}

std::optional<perf::BranchStackSample> StackDecoder::Finish() {
  std::optional<perf::BranchStackSample> sample = std::move(sample_);
  sample_.reset();
  return sample;
}

}  // namespace branches
