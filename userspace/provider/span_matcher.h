// SPDX-License-Identifier: BSD-2-Clause
// Matches begins and ends of the spans of all providers in one file, in bounded memory. Durations
// and async spans belong to one provider each; flows cross providers.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "fxt/record.h"

namespace provider {

class SpanMatcher {
 public:
  // Open spans and flows of one provider, and of all.
  static constexpr size_t kMaxOpenOfProvider = 32'768;
  static constexpr size_t kMaxOpen = 131'072;

  enum class Verdict : uint8_t {
    kAccept,
    kUnmatched,  // no begin
    kFull,       // a begin beyond a limit
  };

  // Decides whether an event of `provider` may be written. Changes the id of an async span if
  // another provider has an open span of the same category and id: readers that match by these
  // alone must not join them.
  Verdict Match(uint32_t provider, fxt::Event& event);
  // Forgets the provider's durations and async spans. Its flows stay open for other providers.
  void Forget(uint32_t provider);

 private:
  struct Key {
    uint64_t id;
    uint64_t scope;  // the thread's koid for durations, else a hash of the category
    bool operator==(const Key&) const = default;
  };
  struct HashKey {
    size_t operator()(const Key& key) const {
      return key.id * UINT64_C(0x9e3779b97f4a7c15) ^ key.scope;
    }
  };
  struct OpenSpan {
    uint64_t written_id = 0;
    uint64_t depth = 0;
  };
  struct Provider {
    std::unordered_map<Key, uint64_t, HashKey> durations;
    std::unordered_map<Key, OpenSpan, HashKey> async;
    size_t open = 0;  // with flows
  };
  struct Flow {
    uint32_t provider = 0;
    uint64_t depth = 0;
  };

  // False: a limit is reached.
  bool Open(Provider& provider);
  void Close(Provider& provider);
  Verdict MatchDuration(Provider& provider, const fxt::Event& event);
  Verdict MatchAsync(Provider& provider, fxt::Event& event);
  Verdict MatchFlow(uint32_t id, Provider& provider, const fxt::Event& event);
  void DropFlowsOfGoneProviders();

  std::map<uint32_t, Provider> providers_;
  std::unordered_map<Key, Flow, HashKey> flows_;
  std::unordered_set<Key, HashKey> written_ids_;  // of open async spans
  uint64_t next_id_ = uint64_t{1} << 63;
  size_t open_ = 0;
};

}  // namespace provider
