// SPDX-License-Identifier: BSD-2-Clause
#include "raw_log/raw_log_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "raw_log/item_cursor.h"

namespace raw_log {
namespace {

// So much of an item is made room for before it is known to be there.
constexpr size_t kStep = size_t{1} << 16;

}  // namespace

util::Error RawLogReader::Damaged() const {
  return {fmt::format("the raw log is damaged at byte {}", offset_), ""};
}

bool RawLogReader::Fill(size_t bytes) {
  while (filled_ < bytes) {
    const size_t step = std::min(bytes, filled_ + kStep);
    words_.resize(std::max(words_.size(), (step + 7) / 8));
    auto* begin = reinterpret_cast<std::byte*>(words_.data());
    const fxt::ReadResult read = source_.Read({begin + filled_, step - filled_});
    if (read.kind == fxt::ReadResult::Kind::kAgain) continue;
    if (read.kind != fxt::ReadResult::Kind::kBytes) return false;
    filled_ += read.bytes;
  }
  return true;
}

util::Result<std::optional<RawLogReader::Event>> RawLogReader::Next(
    ReplayedIdentities& identities) {
  if (!begun_) {
    if (!Fill(sizeof(kHeading)) || std::memcmp(words_.data(), &kHeading, sizeof(kHeading)) != 0) {
      return util::Error{"this is not a raw log of this version", ""};
    }
    begun_ = true;
    offset_ = sizeof(kHeading);
    filled_ = 0;
  }
  for (;;) {
    ItemHeader header;
    if (!Fill(sizeof(header))) return std::optional<Event>();
    std::memcpy(&header, words_.data(), sizeof(header));
    if (header.size > kMaxItemBytes) return Damaged();
    const size_t bytes = sizeof(header) + Padded(header.size);
    if (!Fill(bytes)) return std::optional<Event>();
    const bool is_answer = header.kind >= ItemKind::kText;
    std::optional<Event> event;
    if (is_answer) {
      const util::Bytes body(reinterpret_cast<const std::byte*>(words_.data() + 1), header.size);
      if (!identities.Take(header.kind, body)) return Damaged();
    } else {
      event = Decode(header);
      if (!event) return Damaged();
    }
    offset_ += bytes;
    filled_ = 0;
    if (event) return event;
  }
}

std::optional<RawLogReader::Event> RawLogReader::Decode(const ItemHeader& header) const {
  ItemCursor item({reinterpret_cast<const std::byte*>(words_.data() + 1), header.size});
  Event event;
  switch (header.kind) {
    case ItemKind::kSlot: {
      Slot slot{.cpu = header.cpu, .time = 0, .commit = 0, .body = 0};
      item.Value(&slot.time).Value(&slot.commit).Value(&slot.body);
      event = slot;
      break;
    }
    case ItemKind::kSideEvent: {
      const auto* side = reinterpret_cast<const fxr_side_header*>(words_.data() + 1);
      if (header.size < sizeof(*side) || side->size != header.size) return std::nullopt;
      return SideEvent{side};
    }
    case ItemKind::kBranchSample: {
      perf::BranchStackSample sample;
      std::string_view name;
      item.Value(&sample.time).Maybe(&sample.cpu).Value(&sample.pid).Value(&sample.tid);
      item.Maybe(&sample.ip).Maybe(&sample.period).Maybe(&sample.hw_idx).Text(&name);
      item.Values(&sample.entries).Values(&sample.counters);
      sample.event = name;
      event = std::move(sample);
      break;
    }
    case ItemKind::kMapping: {
      Mapping mapping{};
      util::Bytes build_id;
      uint8_t kernel = 0;
      perf::MmapRecord& record = mapping.record;
      item.Value(&mapping.time).Value(&record.pid).Value(&record.tid).Value(&record.address);
      item.Value(&record.size).Value(&record.file_offset).Value(&record.protection).Value(&kernel);
      item.Bytes(&build_id).Text(&record.file);
      record.kernel = kernel != 0;
      record.build_id = util::BuildId::FromBytes(build_id);
      event = mapping;
      break;
    }
    case ItemKind::kLoss: {
      Loss loss{};
      item.Value(&loss.cpu).Value(&loss.category).Value(&loss.time).Value(&loss.count);
      event = loss;
      break;
    }
    case ItemKind::kTick: {
      Tick tick{};
      item.Value(&tick.time);
      event = tick;
      break;
    }
    case ItemKind::kClockOffset: {
      ClockOffset clock{};
      item.Value(&clock.offset);
      event = clock;
      break;
    }
    case ItemKind::kSnapshotTask: {
      SnapshotTask present{};
      item.Value(&present.task);
      event = present;
      break;
    }
    case ItemKind::kStart: {
      Start start{};
      item.Value(&start.time);
      event = start;
      break;
    }
    case ItemKind::kFinalTask: {
      FinalTask last{};
      item.Value(&last.task);
      event = last;
      break;
    }
    default:
      return std::nullopt;
  }
  if (!item.IsWhole()) return std::nullopt;
  return event;
}

}  // namespace raw_log
