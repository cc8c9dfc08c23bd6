// SPDX-License-Identifier: BSD-2-Clause
#include "session/journal.h"

#include <sys/mman.h>

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>

namespace session {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 16;

// The fixed parts of items. They are not checked, because the journal is the recorder's own memory.
struct Branches {
  fxr_side_header header;
  uint64_t ip, period, hw_idx;
  uint32_t cpu, pid, tid;
  uint8_t has_ip, has_period, has_hw_idx, has_cpu;
  uint32_t event_bytes, entries, counters;
};

struct Mapping {
  fxr_side_header header;
  uint64_t address, size, file_offset;
  uint32_t pid, tid, protection, kernel;
  util::BuildId build_id;
  uint32_t file_bytes;
};

// Builds an item: a fixed part followed by arrays.
class Item {
 public:
  template <typename Fixed>
  explicit Item(const Fixed& fixed) {
    static_assert(std::is_trivially_copyable_v<Fixed>);
    Add(&fixed, sizeof(fixed));
  }
  void Add(const void* bytes, size_t size) {
    const size_t end = (size_ + size + sizeof(uint64_t) - 1) / sizeof(uint64_t);
    if (words_.size() < end) words_.resize(end);
    if (size != 0) std::memcpy(reinterpret_cast<std::byte*>(words_.data()) + size_, bytes, size);
    size_ += size;
  }
  void AppendTo(Journal& journal, JournalType type, uint64_t time) {
    auto& header = *reinterpret_cast<fxr_side_header*>(words_.data());
    header = {time, type, 0, 0, static_cast<uint32_t>(size_)};
    journal.Append(header);
  }

 private:
  std::vector<uint64_t> words_;
  size_t size_ = 0;
};

template <typename T>
const std::byte* Take(const std::byte* from, size_t count, std::vector<T>& to) {
  to.resize(count);
  if (count != 0) std::memcpy(to.data(), from, count * sizeof(T));
  return from + count * sizeof(T);
}

template <typename T>
std::optional<T> Maybe(bool has, T value) {
  return has ? std::optional(value) : std::nullopt;
}

}  // namespace

fxr_side_header& Journal::Append(const fxr_side_header& event) {
  const size_t size = Padded(event.size);
  if (chunks_.empty() ||
      chunks_.back().chunk->data.size() * sizeof(uint64_t) - chunks_.back().end < size) {
    const size_t capacity = std::max(kChunkBytes, size);
    chunks_.push_back({std::make_shared<Chunk>(capacity)});
    bytes_ += capacity;
  }
  Part& last = chunks_.back();
  std::byte* const place = reinterpret_cast<std::byte*>(last.chunk->data.data()) + last.end;
  std::memcpy(place, &event, event.size);
  last.end += size;
  return *reinterpret_cast<fxr_side_header*>(place);
}

const fxr_side_header* Journal::Front() const {
  return chunks_.empty() || chunks_.front().begin == chunks_.front().end
             ? nullptr
             : At(*chunks_.front().chunk, chunks_.front().begin);
}

void Journal::Pop() {
  Part& first = chunks_.front();
  first.begin += Padded(At(*first.chunk, first.begin)->size);
  if (first.begin < first.end || chunks_.size() == 1) return;
  bytes_ -= first.chunk->data.size() * sizeof(uint64_t);
  chunks_.pop_front();
}

Journal::View Journal::Share() const {
  View view;
  for (const Part& part : chunks_) {
    if (part.begin < part.end) view.parts_.push_back(part);
  }
  return view;
}

void Journal::View::Pop() {
  Part& part = parts_[part_];
  part.begin += Padded(At(*part.chunk, part.begin)->size);
  if (part.begin < part.end) return;
  part.chunk.reset();
  ++part_;
}

const fxr_side_header& AppendKnownTask(uint64_t time, const fxr_task& task, Journal& journal) {
  fxr_task known = task;
  known.header = {time, FXR_SIDE_FORK, FXR_SIDE_NAMES_ONLY, 0, sizeof(known)};
  const fxr_side_header& kept = journal.Append(known.header);
  fxr_rename name{};
  name.header = {time, FXR_SIDE_RENAME, FXR_SIDE_NAMES_ONLY, 0, sizeof(name)};
  name.tid = task.tid;
  name.tgid = task.tgid;
  name.uid = task.uid;
  std::copy_n(task.comm, FXR_COMM_BYTES, name.comm);
  std::copy_n(task.full_name, FXR_FULL_NAME_BYTES, name.full_name);
  journal.Append(name.header);
  return kept;
}

void AppendBranches(const perf::BranchStackSample& sample, Journal& journal) {
  Branches fixed{};
  fixed.ip = sample.ip.value_or(0);
  fixed.period = sample.period.value_or(0);
  fixed.hw_idx = sample.hw_idx.value_or(0);
  fixed.cpu = sample.cpu.value_or(0);
  fixed.pid = sample.pid;
  fixed.tid = sample.tid;
  fixed.has_ip = sample.ip.has_value();
  fixed.has_period = sample.period.has_value();
  fixed.has_hw_idx = sample.hw_idx.has_value();
  fixed.has_cpu = sample.cpu.has_value();
  fixed.event_bytes = static_cast<uint32_t>(sample.event.size());
  fixed.entries = static_cast<uint32_t>(sample.entries.size());
  fixed.counters = static_cast<uint32_t>(sample.counters.size());
  Item item(fixed);
  item.Add(sample.entries.data(), sample.entries.size() * sizeof(perf::BranchEntry));
  item.Add(sample.counters.data(), sample.counters.size() * sizeof(uint64_t));
  item.Add(sample.event.data(), sample.event.size());
  item.AppendTo(journal, kJournalBranches, sample.time);
}

perf::BranchStackSample ReadBranches(const fxr_side_header& event) {
  const auto& fixed = reinterpret_cast<const Branches&>(event);
  perf::BranchStackSample sample;
  sample.time = event.time;
  sample.cpu = Maybe(fixed.has_cpu != 0, fixed.cpu);
  sample.pid = fixed.pid;
  sample.tid = fixed.tid;
  sample.ip = Maybe(fixed.has_ip != 0, fixed.ip);
  sample.period = Maybe(fixed.has_period != 0, fixed.period);
  sample.hw_idx = Maybe(fixed.has_hw_idx != 0, fixed.hw_idx);
  const std::byte* rest = reinterpret_cast<const std::byte*>(&event) + sizeof(fixed);
  rest = Take(rest, fixed.entries, sample.entries);
  rest = Take(rest, fixed.counters, sample.counters);
  sample.event.assign(reinterpret_cast<const char*>(rest), fixed.event_bytes);
  return sample;
}

void AppendMapping(uint64_t time, const perf::MmapRecord& record, Journal& journal) {
  Mapping fixed{};
  fixed.address = record.address;
  fixed.size = record.size;
  fixed.file_offset = record.file_offset;
  fixed.pid = record.pid;
  fixed.tid = record.tid;
  fixed.protection = record.protection;
  fixed.kernel = record.kernel ? 1 : 0;
  fixed.build_id = record.build_id;
  fixed.file_bytes = static_cast<uint32_t>(record.file.size());
  Item item(fixed);
  item.Add(record.file.data(), record.file.size());
  item.AppendTo(journal, kJournalMapping, time);
}

void AppendMapping(uint64_t time, uint32_t tgid, const model::ExecutableMapping& mapping,
                   Journal& journal) {
  perf::MmapRecord record;
  record.pid = record.tid = tgid;
  record.address = mapping.start;
  record.size = mapping.size;
  record.file_offset = mapping.file_offset;
  record.protection = PROT_READ | PROT_EXEC;
  record.build_id = util::BuildId::FromBytes(mapping.build_id);
  record.file = mapping.file;
  AppendMapping(time, record, journal);
}

perf::MmapRecord ReadMapping(const fxr_side_header& event) {
  const auto& fixed = reinterpret_cast<const Mapping&>(event);
  perf::MmapRecord record;
  record.pid = fixed.pid;
  record.tid = fixed.tid;
  record.address = fixed.address;
  record.size = fixed.size;
  record.file_offset = fixed.file_offset;
  record.protection = fixed.protection;
  record.build_id = fixed.build_id;
  record.file = {reinterpret_cast<const char*>(&event) + sizeof(fixed), fixed.file_bytes};
  record.kernel = fixed.kernel != 0;
  return record;
}

}  // namespace session
