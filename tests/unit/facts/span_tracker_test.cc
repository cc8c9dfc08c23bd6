// SPDX-License-Identifier: BSD-2-Clause
#include "facts/span_tracker.h"

#include <gtest/gtest.h>

namespace facts {
namespace {

using SpanVerdict = SpanTracker::Verdict;
using fxt::EventType;

class SpanTrackerTest : public ::testing::Test {
 protected:
  SpanVerdict Note(EventType type, fxt::Koid thread, uint64_t id = 0,
                   std::string_view category = "c") {
    return spans_.Note(owner_, fxt::Event{.type = type,
                                          .thread = fxt::ThreadRef::Inline(1, thread),
                                          .category = fxt::StringRef::Inline(category),
                                          .name = fxt::StringRef::Inline("n"),
                                          .arguments = {},
                                          .payload = id});
  }
  SpanTracker spans_;
  uint64_t owner_ = 0;
};

TEST_F(SpanTrackerTest, MatchesDurationsByThread) {
  EXPECT_EQ(Note(EventType::kDurationBegin, 7), SpanVerdict::kFits);
  EXPECT_EQ(Note(EventType::kDurationBegin, 7), SpanVerdict::kFits);
  EXPECT_EQ(Note(EventType::kDurationEnd, 8), SpanVerdict::kLoneDurationEnd);
  EXPECT_EQ(Note(EventType::kDurationEnd, 7), SpanVerdict::kFits);
  EXPECT_EQ(Note(EventType::kDurationEnd, 7), SpanVerdict::kFits);
  EXPECT_EQ(Note(EventType::kDurationEnd, 7), SpanVerdict::kLoneDurationEnd);
}

TEST_F(SpanTrackerTest, EndsAsyncOperationsOnAnyThread) {
  EXPECT_EQ(Note(EventType::kAsyncInstant, 7, 5), SpanVerdict::kLoneAsync);
  EXPECT_EQ(Note(EventType::kAsyncBegin, 7, 5), SpanVerdict::kFits);
  EXPECT_EQ(Note(EventType::kAsyncInstant, 8, 5), SpanVerdict::kFits);
  EXPECT_EQ(Note(EventType::kAsyncEnd, 8, 6), SpanVerdict::kLoneAsync);
  EXPECT_EQ(Note(EventType::kAsyncEnd, 8, 5, "other"), SpanVerdict::kLoneAsync);
  EXPECT_EQ(Note(EventType::kAsyncEnd, 8, 5), SpanVerdict::kFits);
  EXPECT_EQ(Note(EventType::kAsyncEnd, 8, 5), SpanVerdict::kLoneAsync);
}

// One id may be open several times; each end is of one of them.
TEST_F(SpanTrackerTest, EndsAnIdAsOftenAsItBegan) {
  Note(EventType::kAsyncBegin, 7, 5);
  Note(EventType::kAsyncBegin, 7, 5);
  EXPECT_EQ(Note(EventType::kAsyncEnd, 7, 5), SpanVerdict::kFits);
  EXPECT_EQ(Note(EventType::kAsyncInstant, 7, 5), SpanVerdict::kFits);
  EXPECT_EQ(Note(EventType::kAsyncEnd, 7, 5), SpanVerdict::kFits);
  EXPECT_EQ(Note(EventType::kAsyncEnd, 7, 5), SpanVerdict::kLoneAsync);
}

TEST_F(SpanTrackerTest, SeparatesFlowsFromAsyncOperations) {
  Note(EventType::kAsyncBegin, 7, 5);
  EXPECT_EQ(Note(EventType::kFlowStep, 7, 5), SpanVerdict::kLoneFlow);
  EXPECT_EQ(Note(EventType::kFlowBegin, 7, 5), SpanVerdict::kFits);
  EXPECT_EQ(Note(EventType::kFlowStep, 9, 5), SpanVerdict::kFits);
  EXPECT_EQ(Note(EventType::kFlowEnd, 9, 5), SpanVerdict::kFits);
  EXPECT_EQ(Note(EventType::kFlowEnd, 9, 5), SpanVerdict::kLoneFlow);
}

// An id and a category are not one text: 1 of "2/c" is not 12 of "c", nor 1/2 of another.
TEST_F(SpanTrackerTest, SeparatesIdsFromCategories) {
  Note(EventType::kAsyncBegin, 7, 0x12, "c");
  EXPECT_EQ(Note(EventType::kAsyncEnd, 7, 0x1, "2/c"), SpanVerdict::kLoneAsync);
  EXPECT_EQ(Note(EventType::kAsyncEnd, 7, UINT64_MAX, "c"), SpanVerdict::kLoneAsync);
  EXPECT_EQ(Note(EventType::kAsyncEnd, 7, 0x12, "c"), SpanVerdict::kFits);
}

TEST_F(SpanTrackerTest, AcceptsOtherEvents) {
  for (const EventType type :
       {EventType::kInstant, EventType::kCounter, EventType::kDurationComplete}) {
    EXPECT_EQ(Note(type, 7), SpanVerdict::kFits);
  }
}

TEST_F(SpanTrackerTest, OwnersDoNotEndEachOthersSpans) {
  owner_ = 3;
  for (const EventType type :
       {EventType::kDurationBegin, EventType::kAsyncBegin, EventType::kFlowBegin}) {
    Note(type, 7, 5);
  }
  owner_ = 4;
  EXPECT_EQ(Note(EventType::kDurationEnd, 7), SpanVerdict::kLoneDurationEnd);
  EXPECT_EQ(Note(EventType::kAsyncInstant, 7, 5), SpanVerdict::kLoneAsync);
  EXPECT_EQ(Note(EventType::kAsyncEnd, 7, 5), SpanVerdict::kLoneAsync);
  EXPECT_EQ(Note(EventType::kFlowStep, 7, 5), SpanVerdict::kLoneFlow);
  EXPECT_EQ(Note(EventType::kFlowEnd, 7, 5), SpanVerdict::kLoneFlow);
  owner_ = 3;
  EXPECT_EQ(Note(EventType::kDurationEnd, 7), SpanVerdict::kFits);
  EXPECT_EQ(Note(EventType::kAsyncEnd, 7, 5), SpanVerdict::kFits);
  EXPECT_EQ(Note(EventType::kFlowEnd, 7, 5), SpanVerdict::kFits);
}

// One owner cannot take the room of the others, whatever its categories are.
TEST(SpanTrackerLimitTest, KeepsRoomForLaterOwners) {
  SpanTracker spans(64'000);
  const std::string category(4096, 'c');
  const auto note = [&](uint64_t owner, EventType type, uint64_t id) {
    return spans.Note(owner, fxt::Event{.type = type,
                                        .thread = fxt::ThreadRef::Inline(1, 7),
                                        .category = fxt::StringRef::Inline(category),
                                        .name = fxt::StringRef::Inline("n"),
                                        .arguments = {},
                                        .payload = id});
  };
  for (uint64_t id = 0; id < 10'000; ++id) note(1, EventType::kAsyncBegin, id);
  EXPECT_GT(spans.left_out(), 9'000u);
  EXPECT_LT(spans.left_out(), 9'900u);
  // Spans of the owner beyond the limit are unknown.
  EXPECT_EQ(note(1, EventType::kAsyncEnd, 20'000), SpanVerdict::kFits);
  note(2, EventType::kAsyncBegin, 1);
  EXPECT_EQ(note(2, EventType::kAsyncEnd, 2), SpanVerdict::kLoneAsync);
  EXPECT_EQ(note(2, EventType::kAsyncEnd, 1), SpanVerdict::kFits);
  EXPECT_EQ(note(2, EventType::kAsyncEnd, 1), SpanVerdict::kLoneAsync);
}

}  // namespace
}  // namespace facts
