// SPDX-License-Identifier: BSD-2-Clause
#include "facts/open_spans.h"

#include <algorithm>
#include <utility>

namespace facts {

void OpenSpans::Begin(OpenSpan span) {
  const size_t bytes = BytesOf(span);
  if (!HasRoom(bytes)) return;
  bytes_ += bytes;
  Stack& stack = span.id ? operations_[Key(span.owner, *span.id, span.category, span.is_flow)]
                         : durations_[ThreadKey(span.owner, span.thread.thread)];
  stack.wanted += span.wanted ? 1 : 0;
  stack.spans.push_back(std::move(span));
}

template <typename Map, typename K>
std::optional<OpenSpan> OpenSpans::Pop(Map& map, const K& key) {
  const auto found = map.find(key);
  if (found == map.end()) return std::nullopt;
  Stack& stack = found->second;
  OpenSpan span = std::move(stack.spans.back());
  stack.spans.pop_back();
  stack.wanted -= span.wanted ? 1 : 0;
  if (stack.spans.empty()) map.erase(found);
  bytes_ -= BytesOf(span);
  return span;
}

std::optional<OpenSpan> OpenSpans::End(uint64_t owner, const fxt::Event& event) {
  if (event.type == fxt::EventType::kDurationEnd) {
    return Pop(durations_, ThreadKey(owner, event.thread.thread));
  }
  const bool is_flow = event.type == fxt::EventType::kFlowEnd;
  return Pop(operations_, Key(owner, event.payload, std::string(event.category.text), is_flow));
}

bool OpenSpans::HasWantedDuration(uint64_t owner, fxt::Koid thread) const {
  const auto found = durations_.find(ThreadKey(owner, thread));
  return found != durations_.end() && found->second.wanted != 0;
}

std::vector<OpenSpan> OpenSpans::Take() {
  std::vector<OpenSpan> all;
  const auto take = [&](auto& map) {
    for (auto& [key, stack] : map) {
      for (OpenSpan& span : stack.spans) all.push_back(std::move(span));
    }
    map.clear();
  };
  take(durations_);
  take(operations_);
  bytes_ = 0;
  // In an order that does not depend on which others were chosen.
  std::stable_sort(all.begin(), all.end(), [](const OpenSpan& a, const OpenSpan& b) {
    return std::tuple(a.time, a.thread.thread, a.owner) <
           std::tuple(b.time, b.thread.thread, b.owner);
  });
  return all;
}

}  // namespace facts
