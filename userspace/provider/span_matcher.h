// SPDX-License-Identifier: BSD-2-Clause
// Matches begins and ends of the spans of all providers in one file, in bounded memory. Durations
// and async spans belong to one provider; flows may cross providers.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "fxt/record.h"
#include "provider/record_batch.h"
#include "provider/user_budget.h"

namespace provider {

class SpanMatcher {
 public:
  // Limits of open spans and flows: of all providers (a quarter is reserved for root), of one user,
  // and of one provider.
  static constexpr size_t kMaxOpen = 131'072;
  static constexpr size_t kMaxOpenOfUser = kMaxOpen / 4;
  static constexpr size_t kMaxOpenOfProvider = kMaxOpenOfUser;

  enum class Verdict : uint8_t {
    kAccept,
    kUnmatched,  // no begin
    kFull,       // a begin beyond a limit
  };

  SpanMatcher();

  // Decides whether an event of `provider` may be written. `category`: a hash of the event's.
  // Changes the id of an async span if another provider has an open span of the same category and
  // id, because some readers match spans only by these.
  Verdict Match(const Identity& provider, uint64_t category, fxt::Event& event);
  // Forgets the provider's durations and async spans. Its flows stay open for other providers.
  void Forget(const Identity& provider);

 private:
  struct Key {
    uint64_t id;
    uint64_t scope;  // the thread's koid for durations, else the category's hash
    bool operator==(const Key&) const = default;
  };
  // The random seed protects against providers that choose ids of one bucket, which would take
  // quadratic time.
  struct HashKey {
    uint64_t seed = 0;
    size_t operator()(const Key& key) const;
  };
  struct OpenSpan {
    uint64_t written_id = 0;
    uint64_t depth = 0;
  };
  struct Provider {
    Provider(uid_t owner, HashKey hash) : user(owner), durations(0, hash), async(0, hash) {}
    uid_t user;
    std::unordered_map<Key, uint64_t, HashKey> durations;
    std::unordered_map<Key, OpenSpan, HashKey> async;
    size_t open = 0;  // spans and flows
  };
  struct Flow {
    uint32_t provider = 0;
    uid_t user = 0;
    uint64_t depth = 0;
  };

  // False: a limit is reached.
  bool Open(Provider& provider);
  void Close(Provider& provider);
  Verdict MatchDuration(Provider& provider, const fxt::Event& event);
  Verdict MatchAsync(Provider& provider, uint64_t category, fxt::Event& event);
  Verdict MatchFlow(uint32_t id, Provider& provider, uint64_t category, const fxt::Event& event);
  void DropFlowsOfGoneProviders();

  const HashKey hash_;
  std::map<uint32_t, Provider> providers_;
  std::unordered_map<Key, Flow, HashKey> flows_;
  std::unordered_set<Key, HashKey> written_ids_;  // of open async spans
  uint64_t next_id_ = uint64_t{1} << 63;
  size_t gone_flows_ = 0;  // entries of flows_ of disconnected providers
  UserBudget open_{kMaxOpen, kMaxOpenOfUser};
};

}  // namespace provider
