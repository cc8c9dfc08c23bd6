// SPDX-License-Identifier: BSD-2-Clause
#include "provider/span_matcher.h"

#include <functional>

namespace provider {
namespace {

uint64_t HashOf(std::string_view category) { return std::hash<std::string_view>{}(category); }

}  // namespace

bool SpanMatcher::Open(Provider& provider) {
  if (provider.open >= kMaxOpenOfProvider) return false;
  if (open_ >= kMaxOpen) DropFlowsOfGoneProviders();
  if (open_ >= kMaxOpen) return false;
  ++provider.open;
  ++open_;
  return true;
}

void SpanMatcher::Close(Provider& provider) {
  --provider.open;
  --open_;
}

SpanMatcher::Verdict SpanMatcher::MatchDuration(Provider& provider, const fxt::Event& event) {
  const Key key{event.thread.process, event.thread.thread};
  const auto found = provider.durations.find(key);
  if (event.type == fxt::EventType::kDurationBegin) {
    if (found != provider.durations.end()) {
      ++found->second;
      return Verdict::kAccept;
    }
    if (!Open(provider)) return Verdict::kFull;
    provider.durations.emplace(key, 1);
    return Verdict::kAccept;
  }
  if (found == provider.durations.end()) return Verdict::kUnmatched;
  if (--found->second == 0) {
    provider.durations.erase(found);
    Close(provider);
  }
  return Verdict::kAccept;
}

SpanMatcher::Verdict SpanMatcher::MatchAsync(Provider& provider, fxt::Event& event) {
  const Key key{event.payload, HashOf(event.category.text)};
  auto found = provider.async.find(key);
  if (event.type == fxt::EventType::kAsyncBegin) {
    if (found == provider.async.end()) {
      if (!Open(provider)) return Verdict::kFull;
      Key written = key;
      while (written_ids_.contains(written)) written.id = next_id_++;
      written_ids_.insert(written);
      found = provider.async.emplace(key, OpenSpan{written.id, 0}).first;
    }
    ++found->second.depth;
    event.payload = found->second.written_id;
    return Verdict::kAccept;
  }
  if (found == provider.async.end()) return Verdict::kUnmatched;
  event.payload = found->second.written_id;
  if (event.type == fxt::EventType::kAsyncEnd && --found->second.depth == 0) {
    written_ids_.erase({event.payload, key.scope});
    provider.async.erase(found);
    Close(provider);
  }
  return Verdict::kAccept;
}

SpanMatcher::Verdict SpanMatcher::MatchFlow(uint32_t id, Provider& provider,
                                            const fxt::Event& event) {
  const Key key{event.payload, HashOf(event.category.text)};
  const auto found = flows_.find(key);
  if (event.type == fxt::EventType::kFlowBegin) {
    if (found != flows_.end()) {
      ++found->second.depth;
      return Verdict::kAccept;
    }
    if (!Open(provider)) return Verdict::kFull;
    flows_.emplace(key, Flow{id, 1});
    return Verdict::kAccept;
  }
  if (found == flows_.end()) return Verdict::kUnmatched;
  if (event.type == fxt::EventType::kFlowEnd && --found->second.depth == 0) {
    const auto owner = providers_.find(found->second.provider);
    if (owner != providers_.end()) {
      Close(owner->second);
    } else {
      --open_;
    }
    flows_.erase(found);
  }
  return Verdict::kAccept;
}

SpanMatcher::Verdict SpanMatcher::Match(uint32_t provider, fxt::Event& event) {
  switch (event.type) {
    case fxt::EventType::kDurationBegin:
    case fxt::EventType::kDurationEnd:
      return MatchDuration(providers_[provider], event);
    case fxt::EventType::kAsyncBegin:
    case fxt::EventType::kAsyncInstant:
    case fxt::EventType::kAsyncEnd:
      return MatchAsync(providers_[provider], event);
    case fxt::EventType::kFlowBegin:
    case fxt::EventType::kFlowStep:
    case fxt::EventType::kFlowEnd:
      return MatchFlow(provider, providers_[provider], event);
    default:
      return Verdict::kAccept;
  }
}

void SpanMatcher::Forget(uint32_t provider) {
  const auto found = providers_.find(provider);
  if (found == providers_.end()) return;
  const Provider& gone = found->second;
  for (const auto& [key, span] : gone.async) written_ids_.erase({span.written_id, key.scope});
  open_ -= gone.async.size() + gone.durations.size();
  providers_.erase(found);
}

void SpanMatcher::DropFlowsOfGoneProviders() {
  open_ -= std::erase_if(
      flows_, [this](const auto& flow) { return !providers_.contains(flow.second.provider); });
}

}  // namespace provider
