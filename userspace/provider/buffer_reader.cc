// SPDX-License-Identifier: BSD-2-Clause
#include "provider/buffer_reader.h"

#include <algorithm>
#include <utility>

#include "fxt/format.h"

namespace provider {
namespace {

constexpr size_t kMaxCategories = 100;
// A provider that says it lost more than this says nothing.
constexpr uint64_t kMaxLost = uint64_t{1} << 40;
// Of strings that were announced and did not come.
constexpr size_t kMaxMissing = 256;
constexpr uint32_t kThreadReference = 1;

uint32_t TypeOf(uint64_t header) { return header >> 16 & 0xf; }

bool IsKnownType(uint32_t type) {
  return type == FXT_EVENT_BLOB || type == FXT_EVENT_ALERT ||
         (type <= static_cast<uint32_t>(fxt::EventType::kFlowEnd) &&
          type != static_cast<uint32_t>(fxt::EventType::kDurationComplete));
}

}  // namespace

BufferReader::BufferReader(std::shared_ptr<const Identity> identity, SharedBuffer buffer)
    : identity_(std::move(identity)), buffer_(std::move(buffer)), progress_(buffer_.blocks()) {}

// In the order in which threads took them, so that records of a thread are in its order.
std::vector<BufferReader::Turn> BufferReader::BlocksInOrder() const {
  std::vector<Turn> turns;
  for (uint32_t index = 0; index < buffer_.blocks(); ++index) {
    const SharedBuffer::BlockState state = buffer_.block(index);
    if (state.sequence != 0 && state.committed != 0) turns.push_back({state.sequence, index});
  }
  std::sort(turns.begin(), turns.end(),
            [](const Turn& a, const Turn& b) { return a.sequence < b.sequence; });
  return turns;
}

bool BufferReader::CopyBlock(uint32_t index, const SharedBuffer::BlockState& state,
                             uint32_t begin) {
  buffer_.Copy(index, begin, state.committed, piece_);
  return buffer_.block(index).sequence == state.sequence;
}

void BufferReader::Frame(uint32_t tid) {
  size_t at = 0;
  while (at < piece_.size()) {
    const uint64_t header = piece_[at];
    const size_t words = header >> 4 & 0xfff;
    const bool is_event = (header & 0xf) == static_cast<uint64_t>(fxt::RecordType::kEvent);
    if (!is_event || words < 2 || words > piece_.size() - at) {
      // Where the next one begins nobody knows.
      ++invalid_;
      return;
    }
    if (IsKnownType(TypeOf(header)) && (header >> 24 & 0xff) == kThreadReference) {
      raw_.push_back({piece_[at + 1], tid, static_cast<uint32_t>(words_.size()),
                      static_cast<uint32_t>(words)});
      words_.insert(words_.end(), piece_.begin() + static_cast<ptrdiff_t>(at),
                    piece_.begin() + static_cast<ptrdiff_t>(at + words));
    } else {
      ++invalid_;
    }
    at += words;
  }
}

void BufferReader::ReadNew() {
  const size_t before = raw_.size();
  for (const Turn& turn : BlocksInOrder()) {
    const SharedBuffer::BlockState state = buffer_.block(turn.index);
    Progress& progress = progress_[turn.index];
    if (state.sequence != progress.sequence) progress = {state.sequence, 0};
    if (state.sequence == 0) continue;
    if (state.committed > progress.consumed) {
      if (!CopyBlock(turn.index, state, progress.consumed)) continue;
      Frame(state.tid);
      progress.consumed = state.committed;
    }
    // `state` was read before `committed`, which is the last one then.
    if (buffer_.mode() == FXT_MODE_STREAMING && state.state == FXT_BLOCK_FULL) {
      buffer_.FreeBlock(turn.index);
    }
  }
  records_seen_ += raw_.size() - before;
  ReadStrings();
}

void BufferReader::ReadAll() {
  for (const Turn& turn : BlocksInOrder()) {
    const SharedBuffer::BlockState state = buffer_.block(turn.index);
    if (state.sequence == turn.sequence && CopyBlock(turn.index, state, 0)) Frame(state.tid);
  }
  ReadStrings();
}

// After the records: what they name is there by now.
void BufferReader::ReadStrings() {
  std::vector<uint32_t> wanted = std::exchange(missing_, {});
  const uint32_t strings = buffer_.strings();
  for (; strings_read_ < strings; ++strings_read_) wanted.push_back(strings_read_);
  std::string text;
  bool is_category = false;
  std::shared_ptr<StringTable> copy;
  for (const uint32_t index : wanted) {
    if (!buffer_.ReadString(index, text, is_category)) {
      if (missing_.size() < kMaxMissing) missing_.push_back(index);
      continue;
    }
    // Batches that have the table keep it as it is.
    if (!copy && strings_.use_count() > 1) copy = std::make_shared<StringTable>(*strings_);
    if (copy) strings_ = std::move(copy);
    strings_->provider.DefineString(static_cast<uint16_t>(index), text);
    if (is_category && categories_.size() < kMaxCategories) categories_.insert(text);
  }
}

std::unique_ptr<RecordBatch> BufferReader::Take(const ClockPairs& pairs, uint64_t ahead,
                                                uint64_t since, uint64_t until) {
  auto batch = std::make_unique<RecordBatch>();
  batch->identity = identity_;
  batch->strings = strings_;
  batch->words = std::exchange(words_, {});
  batch->entries.reserve(raw_.size());
  const bool counter = buffer_.clock() == FXT_CLOCK_COUNTER;
  for (const Raw& raw : std::exchange(raw_, {})) {
    const uint64_t time = counter ? pairs.ToNanoseconds(raw.ticks) : raw.ticks + ahead;
    if (time < since || time > until) continue;
    const uint64_t header = batch->words[raw.offset];
    if (TypeOf(header) == FXT_EVENT_ALERT) {
      const std::string* name = batch->strings->provider.FindString(header >> 48 & 0x7fff);
      if (name != nullptr) batch->alerts.push_back({time, *name});
    }
    batch->entries.push_back({time, raw.tid, raw.offset, raw.words});
  }
  std::stable_sort(batch->entries.begin(), batch->entries.end(),
                   [](const RecordEntry& a, const RecordEntry& b) { return a.time < b.time; });
  batch->invalid = std::exchange(invalid_, 0);
  const uint64_t now_lost = lost();
  if (now_lost > reported_lost_) batch->lost = now_lost - reported_lost_;
  reported_lost_ = now_lost;
  return batch;
}

uint64_t BufferReader::lost() const {
  const uint64_t said = buffer_.lost();
  return said < kMaxLost ? said : reported_lost_;
}

}  // namespace provider
