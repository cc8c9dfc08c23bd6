// SPDX-License-Identifier: BSD-2-Clause
#include "provider/span_matcher.h"

#include <gtest/gtest.h>

#include <vector>

namespace provider {
namespace {

using Verdict = SpanMatcher::Verdict;

fxt::Event EventOf(fxt::EventType type, uint64_t id, fxt::Koid thread = 100) {
  fxt::Event event;
  event.type = type;
  event.thread = fxt::ThreadRef::Inline(100, thread);
  event.payload = id;
  event.category = fxt::StringRef::Inline("category");
  return event;
}

class SpanMatcherTest : public ::testing::Test {
 protected:
  // Each provider has a user of its own.
  static Identity IdentityOf(uint32_t provider) { return {.id = provider, .user = provider}; }
  Verdict Match(const Identity& provider, fxt::Event& event) {
    return spans_.Match(provider, 1, event);
  }
  Verdict Match(uint32_t provider, fxt::EventType type, uint64_t id, fxt::Koid thread = 100) {
    fxt::Event event = EventOf(type, id, thread);
    return Match(IdentityOf(provider), event);
  }
  SpanMatcher spans_;
};

TEST_F(SpanMatcherTest, MatchesDurationsByProviderAndThread) {
  EXPECT_EQ(Match(1, fxt::EventType::kDurationBegin, 0), Verdict::kAccept);
  EXPECT_EQ(Match(2, fxt::EventType::kDurationEnd, 0), Verdict::kUnmatched);
  EXPECT_EQ(Match(1, fxt::EventType::kDurationEnd, 0, 101), Verdict::kUnmatched);
  EXPECT_EQ(Match(1, fxt::EventType::kDurationEnd, 0), Verdict::kAccept);
  EXPECT_EQ(Match(1, fxt::EventType::kDurationEnd, 0), Verdict::kUnmatched);
}

TEST_F(SpanMatcherTest, AsyncSpansBelongToOneProvider) {
  EXPECT_EQ(Match(1, fxt::EventType::kAsyncBegin, 7), Verdict::kAccept);
  EXPECT_EQ(Match(2, fxt::EventType::kAsyncInstant, 7), Verdict::kUnmatched);
  EXPECT_EQ(Match(2, fxt::EventType::kAsyncEnd, 7), Verdict::kUnmatched);
  EXPECT_EQ(Match(1, fxt::EventType::kAsyncEnd, 7), Verdict::kAccept);
}

TEST_F(SpanMatcherTest, OpenAsyncSpansHaveDifferentIdsInTheFile) {
  fxt::Event first = EventOf(fxt::EventType::kAsyncBegin, 7);
  fxt::Event second = first;
  fxt::Event third = first;
  EXPECT_EQ(Match(IdentityOf(1), first), Verdict::kAccept);
  EXPECT_EQ(Match(IdentityOf(2), second), Verdict::kAccept);
  EXPECT_EQ(Match(IdentityOf(3), third), Verdict::kAccept);
  EXPECT_EQ(first.payload, 7u);
  EXPECT_NE(second.payload, 7u);
  EXPECT_NE(third.payload, 7u);
  EXPECT_NE(second.payload, third.payload);
  fxt::Event end = EventOf(fxt::EventType::kAsyncEnd, 7);
  EXPECT_EQ(Match(IdentityOf(2), end), Verdict::kAccept);
  EXPECT_EQ(end.payload, second.payload);
  // The id can be used again after its span has ended.
  end = EventOf(fxt::EventType::kAsyncEnd, 7);
  EXPECT_EQ(Match(IdentityOf(1), end), Verdict::kAccept);
  fxt::Event fourth = EventOf(fxt::EventType::kAsyncBegin, 7);
  EXPECT_EQ(Match(IdentityOf(4), fourth), Verdict::kAccept);
  EXPECT_EQ(fourth.payload, 7u);
}

TEST_F(SpanMatcherTest, FlowsCrossProviders) {
  EXPECT_EQ(Match(1, fxt::EventType::kFlowBegin, 7), Verdict::kAccept);
  EXPECT_EQ(Match(2, fxt::EventType::kFlowStep, 7), Verdict::kAccept);
  spans_.Forget(IdentityOf(1));
  EXPECT_EQ(Match(3, fxt::EventType::kFlowEnd, 7), Verdict::kAccept);
  EXPECT_EQ(Match(3, fxt::EventType::kFlowEnd, 7), Verdict::kUnmatched);
}

TEST_F(SpanMatcherTest, ForgetEndsAllSpansOfAProvider) {
  Match(1, fxt::EventType::kDurationBegin, 0);
  Match(1, fxt::EventType::kAsyncBegin, 7);
  spans_.Forget(IdentityOf(1));
  EXPECT_EQ(Match(1, fxt::EventType::kDurationEnd, 0), Verdict::kUnmatched);
  EXPECT_EQ(Match(1, fxt::EventType::kAsyncEnd, 7), Verdict::kUnmatched);
}

TEST_F(SpanMatcherTest, LimitsProvidersUsersAndTheSum) {
  // Users other than root have three quarters.
  constexpr uint32_t kUsers = SpanMatcher::kMaxOpen / SpanMatcher::kMaxOpenOfUser * 3 / 4;
  for (uint32_t provider = 1; provider <= kUsers; ++provider) {
    for (uint64_t id = 0; id < SpanMatcher::kMaxOpenOfProvider; ++id) {
      ASSERT_EQ(Match(provider, fxt::EventType::kFlowBegin, uint64_t{provider} << 32 | id),
                Verdict::kAccept);
    }
    EXPECT_EQ(Match(provider, fxt::EventType::kAsyncBegin, 1), Verdict::kFull);
    // Another provider of the same user.
    fxt::Event event = EventOf(fxt::EventType::kAsyncBegin, 1);
    EXPECT_EQ(Match({.id = 50, .user = provider}, event), Verdict::kFull);
  }
  EXPECT_EQ(Match(99, fxt::EventType::kAsyncBegin, 1), Verdict::kFull);
  fxt::Event of_root = EventOf(fxt::EventType::kAsyncBegin, 1);
  EXPECT_EQ(Match({.id = 98, .user = 0}, of_root), Verdict::kAccept);
  // Flows of disconnected providers are dropped to make room.
  spans_.Forget(IdentityOf(1));
  EXPECT_EQ(Match(99, fxt::EventType::kAsyncBegin, 1), Verdict::kAccept);
}

TEST_F(SpanMatcherTest, ARefusedBeginIsCheap) {
  for (uint64_t id = 0; id < SpanMatcher::kMaxOpenOfUser; ++id) {
    ASSERT_EQ(Match(1, fxt::EventType::kFlowBegin, id), Verdict::kAccept);
  }
  // Searching all flows for each of them would take minutes.
  const Identity other{.id = 2, .user = 1};
  for (uint64_t id = 0; id < 3'000'000; ++id) {
    fxt::Event event = EventOf(fxt::EventType::kFlowBegin, id | uint64_t{1} << 40);
    ASSERT_EQ(Match(other, event), Verdict::kFull);
  }
}

}  // namespace
}  // namespace provider
