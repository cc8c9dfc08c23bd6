// SPDX-License-Identifier: BSD-2-Clause
#include "provider/span_matcher.h"

#include <sys/random.h>

#include "util/clock.h"

namespace provider {
namespace {

uint64_t RandomSeed() {
  uint64_t seed = 0;
  if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed) seed = util::MonotonicNow();
  return seed;
}

// The finalizer of splitmix64.
uint64_t Mix(uint64_t word) {
  word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
  return word ^ word >> 31;
}

}  // namespace

size_t SpanMatcher::HashKey::operator()(const Key& key) const {
  return Mix(Mix(key.id ^ seed) + key.scope);
}

SpanMatcher::SpanMatcher() : hash_{RandomSeed()}, flows_(0, hash_), written_ids_(0, hash_) {}

bool SpanMatcher::Open(Provider& provider) {
  if (provider.open >= kMaxOpenOfProvider) return false;
  if (!open_.Take(provider.user, 1)) {
    // At the limit every begin comes here, so it searches only if there is enough to drop.
    if (gone_flows_ < kMaxOpen / 64) return false;
    DropFlowsOfGoneProviders();
    if (!open_.Take(provider.user, 1)) return false;
  }
  ++provider.open;
  return true;
}

void SpanMatcher::Close(Provider& provider) {
  --provider.open;
  open_.Return(provider.user, 1);
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

SpanMatcher::Verdict SpanMatcher::MatchAsync(Provider& provider, uint64_t category,
                                             fxt::Event& event) {
  const Key key{event.payload, category};
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

SpanMatcher::Verdict SpanMatcher::MatchFlow(uint32_t id, Provider& provider, uint64_t category,
                                            const fxt::Event& event) {
  const Key key{event.payload, category};
  const auto found = flows_.find(key);
  if (event.type == fxt::EventType::kFlowBegin) {
    if (found != flows_.end()) {
      ++found->second.depth;
      return Verdict::kAccept;
    }
    if (!Open(provider)) return Verdict::kFull;
    flows_.emplace(key, Flow{id, provider.user, 1});
    return Verdict::kAccept;
  }
  if (found == flows_.end()) return Verdict::kUnmatched;
  if (event.type == fxt::EventType::kFlowEnd && --found->second.depth == 0) {
    const auto owner = providers_.find(found->second.provider);
    if (owner != providers_.end()) {
      Close(owner->second);
    } else {
      open_.Return(found->second.user, 1);
      --gone_flows_;
    }
    flows_.erase(found);
  }
  return Verdict::kAccept;
}

SpanMatcher::Verdict SpanMatcher::Match(const Identity& provider, uint64_t category,
                                        fxt::Event& event) {
  const auto spans = [&]() -> Provider& {
    return providers_.try_emplace(provider.id, provider.user, hash_).first->second;
  };
  switch (event.type) {
    case fxt::EventType::kDurationBegin:
    case fxt::EventType::kDurationEnd:
      return MatchDuration(spans(), event);
    case fxt::EventType::kAsyncBegin:
    case fxt::EventType::kAsyncInstant:
    case fxt::EventType::kAsyncEnd:
      return MatchAsync(spans(), category, event);
    case fxt::EventType::kFlowBegin:
    case fxt::EventType::kFlowStep:
    case fxt::EventType::kFlowEnd:
      return MatchFlow(provider.id, spans(), category, event);
    default:
      return Verdict::kAccept;
  }
}

void SpanMatcher::Forget(const Identity& provider) {
  const auto found = providers_.find(provider.id);
  if (found == providers_.end()) return;
  const Provider& gone = found->second;
  for (const auto& [key, span] : gone.async) written_ids_.erase({span.written_id, key.scope});
  const size_t own = gone.async.size() + gone.durations.size();
  open_.Return(gone.user, own);
  gone_flows_ += gone.open - own;
  providers_.erase(found);
}

void SpanMatcher::DropFlowsOfGoneProviders() {
  std::erase_if(flows_, [this](const auto& flow) {
    const bool gone = !providers_.contains(flow.second.provider);
    if (gone) open_.Return(flow.second.user, 1);
    return gone;
  });
  gone_flows_ = 0;
}

}  // namespace provider
