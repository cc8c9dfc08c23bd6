// SPDX-License-Identifier: BSD-2-Clause
#include "perf/file/time_order.h"

#include <algorithm>
#include <utility>

namespace perf {

namespace {

size_t BytesOf(const OrderedRecord& record) {
  return sizeof(OrderedRecord) + sizeof(uint64_t) + record.body.size();
}

}  // namespace

void TimeOrder::Add(const FileRecord& record, uint64_t time) {
  OrderedRecord owned;
  owned.time = time == UINT64_MAX ? 0 : time;
  owned.header = record.raw.header;
  owned.body.assign(record.raw.body.begin(), record.raw.body.end());
  owned.file_offset = record.raw.file_offset;
  owned.event = record.event;
  newest_ = std::max(newest_, owned.time);
  held_bytes_ += BytesOf(owned);
  held_.push({sequence_++, std::move(owned)});
  if (held_bytes_ > max_bytes_) draining_half_ = true;
}

void TimeOrder::FinishRound() {
  horizon_ = std::max(horizon_, round_end_);
  round_end_ = newest_;
}

std::optional<OrderedRecord> TimeOrder::Next() {
  if (held_bytes_ <= max_bytes_ / 2) draining_half_ = false;
  if (held_.empty()) return std::nullopt;
  const OrderedRecord& first = held_.top().record;
  if (first.time > horizon_ && !draining_half_) return std::nullopt;
  // std::priority_queue only yields const references; the moved-from record is popped at once.
  OrderedRecord record = std::move(const_cast<OrderedRecord&>(first));
  held_bytes_ -= BytesOf(record);
  held_.pop();
  if (record.time != 0) {
    if (record.time < last_out_) ++late_;
    last_out_ = std::max(last_out_, record.time);
  }
  return record;
}

uint64_t TimeOf(const Record& record) {
  if (record.where.time) return *record.where.time;
  if (const auto* fork = std::get_if<ForkRecord>(&record.body)) return fork->time;
  if (const auto* exit = std::get_if<ExitRecord>(&record.body)) return exit->time;
  if (const auto* throttle = std::get_if<ThrottleRecord>(&record.body)) return throttle->time;
  return 0;
}

}  // namespace perf
