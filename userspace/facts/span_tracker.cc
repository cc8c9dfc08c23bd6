// SPDX-License-Identifier: BSD-2-Clause
#include "facts/span_tracker.h"

#include <fmt/format.h>

namespace facts {
namespace {

constexpr size_t kMaxOpen = size_t{1} << 20;

std::string KeyOf(const fxt::Event& event) {
  return fmt::format("{:x}/{}", event.payload, event.category.text);
}

}  // namespace

void SpanTracker::Begin(Open& open, const fxt::Event& event) {
  if (open.size() >= kMaxOpen) {
    gave_up_ = true;
  } else {
    ++open[KeyOf(event)];
  }
}

bool SpanTracker::IsOpen(const Open& open, const fxt::Event& event) const {
  return gave_up_ || open.contains(KeyOf(event));
}

bool SpanTracker::End(Open& open, const fxt::Event& event) {
  const auto found = open.find(KeyOf(event));
  if (found == open.end()) return gave_up_;
  if (--found->second == 0) open.erase(found);
  return true;
}

SpanTracker::Verdict SpanTracker::Note(const fxt::Event& event) {
  switch (event.type) {
    case fxt::EventType::kDurationBegin:
      if (depth_.size() < kMaxOpen || depth_.contains(event.thread.thread)) {
        ++depth_[event.thread.thread];
      } else {
        gave_up_ = true;
      }
      return Verdict::kFits;
    case fxt::EventType::kDurationEnd: {
      const auto depth = depth_.find(event.thread.thread);
      if (depth == depth_.end()) return gave_up_ ? Verdict::kFits : Verdict::kLoneDurationEnd;
      if (--depth->second == 0) depth_.erase(depth);
      return Verdict::kFits;
    }
    case fxt::EventType::kAsyncBegin:
      Begin(async_, event);
      return Verdict::kFits;
    case fxt::EventType::kAsyncInstant:
      return IsOpen(async_, event) ? Verdict::kFits : Verdict::kLoneAsync;
    case fxt::EventType::kAsyncEnd:
      return End(async_, event) ? Verdict::kFits : Verdict::kLoneAsync;
    case fxt::EventType::kFlowBegin:
      Begin(flows_, event);
      return Verdict::kFits;
    case fxt::EventType::kFlowStep:
      return IsOpen(flows_, event) ? Verdict::kFits : Verdict::kLoneFlow;
    case fxt::EventType::kFlowEnd:
      return End(flows_, event) ? Verdict::kFits : Verdict::kLoneFlow;
    default:
      return Verdict::kFits;
  }
}

}  // namespace facts
