// SPDX-License-Identifier: BSD-2-Clause
#include "provider/buffer_reader.h"

#include <algorithm>
#include <utility>

#include "fxt/format.h"

namespace provider {
namespace {

// A greater count of lost records is ignored as implausible.
constexpr uint64_t kMaxLost = uint64_t{1} << 40;
// Limit of announced strings that are not defined yet. Further ones are never read.
constexpr size_t kMaxMissing = 256;
constexpr uint32_t kThreadReference = 1;

uint32_t TypeOf(uint64_t header) { return header >> 16 & 0xf; }

bool IsKnownType(uint32_t type) {
  return type == FXT_EVENT_BLOB || type == FXT_EVENT_ALERT ||
         (type <= static_cast<uint32_t>(fxt::EventType::kFlowEnd) &&
          type != static_cast<uint32_t>(fxt::EventType::kDurationComplete));
}

}  // namespace

BufferReader::BufferReader(std::shared_ptr<const Identity> identity, SharedBuffer buffer,
                           std::shared_ptr<UserBudget> strings)
    : identity_(std::move(identity)),
      buffer_(std::move(buffer)),
      string_budget_(std::move(strings)),
      progress_(buffer_.blocks()),
      strings_(std::make_shared<StringTable>(string_budget_, identity_->user)) {}

size_t BufferReader::CountCommitted(bool only_new) const {
  size_t bytes = 0;
  for (uint32_t index = 0; index < buffer_.blocks(); ++index) {
    const SharedBuffer::BlockState state = buffer_.block(index);
    if (state.sequence == 0) continue;
    const Progress& progress = progress_[index];
    const bool known = only_new && progress.sequence == state.sequence;
    bytes += state.committed - (known ? std::min(progress.consumed, state.committed) : 0);
  }
  return bytes;
}

// Sorted by the order in which threads took the blocks, so that a thread's records stay in order.
std::vector<BufferReader::BlockOrder> BufferReader::BlocksInOrder() const {
  std::vector<BlockOrder> blocks;
  for (uint32_t index = 0; index < buffer_.blocks(); ++index) {
    const SharedBuffer::BlockState state = buffer_.block(index);
    if (state.sequence != 0 && state.committed != 0) blocks.push_back({state.sequence, index});
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const BlockOrder& a, const BlockOrder& b) { return a.sequence < b.sequence; });
  return blocks;
}

bool BufferReader::CopyBlock(uint32_t index, const SharedBuffer::BlockState& state,
                             uint32_t begin) {
  return buffer_.Copy(index, begin, state.committed, piece_) &&
         buffer_.block(index).sequence == state.sequence;
}

template <typename Visit>
void BufferReader::ForEachRecord(Visit visit) {
  size_t at = 0;
  while (at < piece_.size()) {
    const uint64_t header = piece_[at];
    const size_t words = header >> 4 & 0xfff;
    const bool is_event = (header & 0xf) == static_cast<uint64_t>(fxt::RecordType::kEvent);
    if (!is_event || words < 2 || words > piece_.size() - at) {
      // Without a valid length the begin of the next record is unknown.
      ++invalid_;
      return;
    }
    if (IsKnownType(TypeOf(header)) && (header >> 24 & 0xff) == kThreadReference) {
      visit(at, words);
    } else {
      ++invalid_;
    }
    at += words;
  }
}

void BufferReader::Append(uint32_t tid) {
  ForEachRecord([&](size_t at, size_t words) {
    entries_.push_back({piece_[at + 1], tid, static_cast<uint32_t>(words_.size())});
    const auto begin = piece_.begin() + static_cast<ptrdiff_t>(at);
    words_.insert(words_.end(), begin, begin + static_cast<ptrdiff_t>(words));
  });
}

// Copies the new bytes of each block into piece_ and calls read(state).
template <typename Read>
void BufferReader::ReadBlocks(size_t limit, Read read) {
  for (const BlockOrder& order : BlocksInOrder()) {
    const SharedBuffer::BlockState state = buffer_.block(order.index);
    Progress& progress = progress_[order.index];
    if (state.sequence != progress.sequence) progress = {state.sequence, 0};
    if (state.sequence == 0) continue;
    if (state.committed > progress.consumed) {
      const size_t bytes = state.committed - progress.consumed;
      if (bytes > limit) break;
      limit -= bytes;
      if (!CopyBlock(order.index, state, progress.consumed)) continue;
      read(state);
      progress.consumed = state.committed;
    }
    // block() reads the state before the size, so a full block has its final size.
    if (buffer_.mode() == FXT_MODE_STREAMING && state.state == FXT_BLOCK_FULL) {
      buffer_.FreeBlock(order.index);
    }
  }
  // Read after the records, so that all strings that they refer to are defined.
  ReadStrings();
}

void BufferReader::ReadNew(size_t limit) {
  const size_t before = entries_.size();
  ReadBlocks(limit, [this](const SharedBuffer::BlockState& state) { Append(state.tid); });
  records_seen_ += entries_.size() - before;
}

void BufferReader::ScanNew(size_t limit) {
  ReadBlocks(limit, [this](const SharedBuffer::BlockState&) {
    ForEachRecord([this](size_t at, size_t) {
      ++records_seen_;
      const uint64_t header = piece_[at];
      if (TypeOf(header) != FXT_EVENT_ALERT || alerts_.size() == kMaxAlerts) return;
      const auto name = static_cast<uint32_t>(header >> 48 & fxt::kMaxStringIndex);
      alerts_.push_back({.time = piece_[at + 1], .offset = name});
    });
  });
}

void BufferReader::DropNew() {
  ReadBlocks(SIZE_MAX, [this](const SharedBuffer::BlockState&) {
    ForEachRecord([this](size_t, size_t) {
      ++records_seen_;
      ++left_out_;
    });
  });
}

void BufferReader::ReadAll(size_t limit) {
  const std::vector<BlockOrder> blocks = BlocksInOrder();
  std::vector<size_t> begins;  // of the entries of a block, the newest block first
  const size_t before = entries_.size();
  size_t committed = 0;
  for (const BlockOrder& order : blocks) committed += buffer_.block(order.index).committed;
  // Reserves memory, because growing vectors would temporarily need up to three times as much.
  // Unused pages take no memory.
  words_.reserve(words_.size() + std::min(committed, limit) / sizeof(uint64_t));
  entries_.reserve(before + std::min(committed, limit) / sizeof(RecordEntry));
  size_t used = 0;
  bool full = false;
  for (auto order = blocks.rbegin(); order != blocks.rend(); ++order) {
    const SharedBuffer::BlockState state = buffer_.block(order->index);
    if (state.sequence != order->sequence || !CopyBlock(order->index, state, 0)) continue;
    size_t records = 0;
    const uint64_t invalid = invalid_;
    ForEachRecord([&records](size_t, size_t) { ++records; });
    const size_t bytes = state.committed + records * sizeof(RecordEntry);
    full = full || bytes > limit - used;
    if (full) {
      left_out_ += records;
      continue;
    }
    used += bytes;
    invalid_ = invalid;  // Append() counts them again
    begins.push_back(entries_.size());
    Append(state.tid);
  }
  // Reverses the order of the blocks, so that the oldest one is first.
  const auto at = [this](size_t index) { return entries_.begin() + static_cast<ptrdiff_t>(index); };
  for (size_t i = 0; i < begins.size(); ++i) {
    const size_t end = i + 1 < begins.size() ? begins[i + 1] : entries_.size();
    std::reverse(at(begins[i]), at(end));
  }
  std::reverse(at(before), entries_.end());
  ReadStrings();
}

void BufferReader::ReadStrings() {
  std::vector<uint32_t> wanted = std::exchange(missing_, {});
  const uint32_t strings = buffer_.strings();
  for (; strings_read_ < strings; ++strings_read_) wanted.push_back(strings_read_);
  std::string text;
  bool is_category = false;
  for (const uint32_t index : wanted) {
    if (!buffer_.ReadString(index, text, is_category)) {
      if (missing_.size() < kMaxMissing) missing_.push_back(index);
      continue;
    }
    if (strings_.use_count() > 1) {
      // Copies the table, because batches share it and it must not change.
      auto copy = std::make_shared<StringTable>(string_budget_, identity_->user);
      copy->DefineAll(*strings_, strings_read_);
      strings_ = std::move(copy);
    }
    if (!strings_->Define(static_cast<uint16_t>(index), text)) return;
    if (is_category && categories_.size() < kMaxCategories && text.size() <= kMaxCategoryBytes) {
      categories_.insert(text);
    }
  }
}

std::unique_ptr<RecordBatch> BufferReader::Take(const ClockPairs& pairs, uint64_t ahead,
                                                uint64_t since, uint64_t until) {
  auto batch = std::make_unique<RecordBatch>();
  batch->identity = identity_;
  batch->strings = strings_;
  batch->words = std::exchange(words_, {});
  batch->entries = std::exchange(entries_, {});
  const auto add_alert = [&](uint64_t time, uint64_t name_index) {
    const std::string* name = strings_->Find(static_cast<uint16_t>(name_index));
    if (name != nullptr && batch->alerts.size() < kMaxAlerts)
      batch->alerts.push_back({time, *name});
  };
  const bool counter = buffer_.clock() == FXT_CLOCK_COUNTER;
  const auto time_of = [&](uint64_t ticks) {
    return counter ? pairs.ToNanoseconds(ticks) : ticks + ahead;
  };
  size_t kept = 0;
  for (RecordEntry& entry : batch->entries) {
    entry.time = time_of(entry.time);
    if (entry.time < since || entry.time > until) continue;
    const uint64_t header = batch->words[entry.offset];
    if (TypeOf(header) == FXT_EVENT_ALERT) {
      add_alert(entry.time, header >> 48 & fxt::kMaxStringIndex);
    }
    batch->entries[kept++] = entry;
  }
  batch->entries.resize(kept);
  for (const RecordEntry& alert : std::exchange(alerts_, {})) {
    const uint64_t time = time_of(alert.time);
    if (time >= since && time <= until) add_alert(time, alert.offset);
  }
  const auto earlier = [](const RecordEntry& a, const RecordEntry& b) { return a.time < b.time; };
  if (!std::is_sorted(batch->entries.begin(), batch->entries.end(), earlier)) {
    std::stable_sort(batch->entries.begin(), batch->entries.end(), earlier);
  }
  batch->invalid = std::exchange(invalid_, 0);
  const uint64_t now_lost = lost();
  if (now_lost > reported_lost_) batch->lost = now_lost - reported_lost_;
  reported_lost_ = now_lost;
  batch->left_out = std::exchange(left_out_, 0);
  return batch;
}

uint64_t BufferReader::lost() const {
  const uint64_t count = buffer_.lost();
  return count < kMaxLost ? count : reported_lost_;
}

}  // namespace provider
