// SPDX-License-Identifier: BSD-2-Clause
#include "facts/span_tracker.h"

#include <functional>
#include <string_view>

namespace facts {

SpanTracker::Key SpanTracker::KeyOf(Kind kind, const fxt::Event& event) {
  if (kind == Kind::kDuration) return {event.thread.thread, 0};
  // The lowest bits tell durations, async operations and flows apart.
  const uint64_t hash = std::hash<std::string_view>()(event.category.text);
  return {event.payload, (hash & ~uint64_t{3}) | static_cast<uint64_t>(kind)};
}

void SpanTracker::Begin(uint64_t number, const Key& key) {
  // The owner has an entry, too.
  auto owner = owners_.find(number);
  if (owner == owners_.end()) {
    if (free_ == 0) {
      dropped_owner_ = true;
      ++left_out_;
      return;
    }
    --free_;
    owner = owners_.try_emplace(number).first;
  }
  auto& open = owner->second.open;
  const auto found = open.find(key);
  if (found != open.end()) {
    ++found->second;
  } else if (open.size() < free_) {
    --free_;
    open.emplace(key, 1);
  } else {
    owner->second.gave_up = true;
    ++left_out_;
  }
}

bool SpanTracker::IsOpen(uint64_t number, const Key& key) const {
  const auto owner = owners_.find(number);
  if (owner == owners_.end()) return dropped_owner_;
  return owner->second.gave_up || owner->second.open.contains(key);
}

bool SpanTracker::End(uint64_t number, const Key& key) {
  const auto owner = owners_.find(number);
  if (owner == owners_.end()) return dropped_owner_;
  const auto found = owner->second.open.find(key);
  if (found == owner->second.open.end()) return owner->second.gave_up;
  if (--found->second == 0) {
    owner->second.open.erase(found);
    ++free_;
  }
  return true;
}

SpanTracker::Verdict SpanTracker::Note(uint64_t owner, const fxt::Event& event) {
  switch (event.type) {
    case fxt::EventType::kDurationBegin:
      Begin(owner, KeyOf(Kind::kDuration, event));
      return Verdict::kFits;
    case fxt::EventType::kDurationEnd:
      return End(owner, KeyOf(Kind::kDuration, event)) ? Verdict::kFits : Verdict::kLoneDurationEnd;
    case fxt::EventType::kAsyncBegin:
      Begin(owner, KeyOf(Kind::kAsync, event));
      return Verdict::kFits;
    case fxt::EventType::kAsyncInstant:
      return IsOpen(owner, KeyOf(Kind::kAsync, event)) ? Verdict::kFits : Verdict::kLoneAsync;
    case fxt::EventType::kAsyncEnd:
      return End(owner, KeyOf(Kind::kAsync, event)) ? Verdict::kFits : Verdict::kLoneAsync;
    case fxt::EventType::kFlowBegin:
      Begin(owner, KeyOf(Kind::kFlow, event));
      return Verdict::kFits;
    case fxt::EventType::kFlowStep:
      return IsOpen(owner, KeyOf(Kind::kFlow, event)) ? Verdict::kFits : Verdict::kLoneFlow;
    case fxt::EventType::kFlowEnd:
      return End(owner, KeyOf(Kind::kFlow, event)) ? Verdict::kFits : Verdict::kLoneFlow;
    default:
      return Verdict::kFits;
  }
}

}  // namespace facts
