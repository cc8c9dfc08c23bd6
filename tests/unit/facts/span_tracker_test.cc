// SPDX-License-Identifier: BSD-2-Clause
#include "facts/span_tracker.h"

#include <gtest/gtest.h>

namespace facts {
namespace {

using Verdict = SpanTracker::Verdict;
using fxt::EventType;

class SpanTrackerTest : public ::testing::Test {
 protected:
  Verdict Note(EventType type, fxt::Koid thread, uint64_t id = 0, std::string_view category = "c") {
    return spans_.Note(fxt::Event{.type = type,
                                  .thread = fxt::ThreadRef::Inline(1, thread),
                                  .category = fxt::StringRef::Inline(category),
                                  .name = fxt::StringRef::Inline("n"),
                                  .arguments = {},
                                  .payload = id});
  }
  SpanTracker spans_;
};

TEST_F(SpanTrackerTest, DurationsAreThoseOfTheirThread) {
  EXPECT_EQ(Note(EventType::kDurationBegin, 7), Verdict::kFits);
  EXPECT_EQ(Note(EventType::kDurationBegin, 7), Verdict::kFits);
  EXPECT_EQ(Note(EventType::kDurationEnd, 8), Verdict::kLoneDurationEnd);
  EXPECT_EQ(Note(EventType::kDurationEnd, 7), Verdict::kFits);
  EXPECT_EQ(Note(EventType::kDurationEnd, 7), Verdict::kFits);
  EXPECT_EQ(Note(EventType::kDurationEnd, 7), Verdict::kLoneDurationEnd);
}

TEST_F(SpanTrackerTest, AsyncOperationsMayEndOnAnyThread) {
  EXPECT_EQ(Note(EventType::kAsyncInstant, 7, 5), Verdict::kLoneAsync);
  EXPECT_EQ(Note(EventType::kAsyncBegin, 7, 5), Verdict::kFits);
  EXPECT_EQ(Note(EventType::kAsyncInstant, 8, 5), Verdict::kFits);
  EXPECT_EQ(Note(EventType::kAsyncEnd, 8, 6), Verdict::kLoneAsync);
  EXPECT_EQ(Note(EventType::kAsyncEnd, 8, 5, "other"), Verdict::kLoneAsync);
  EXPECT_EQ(Note(EventType::kAsyncEnd, 8, 5), Verdict::kFits);
  EXPECT_EQ(Note(EventType::kAsyncEnd, 8, 5), Verdict::kLoneAsync);
}

// One id may be open several times; each end is of one of them.
TEST_F(SpanTrackerTest, AnIdThatBeganTwiceEndsTwice) {
  Note(EventType::kAsyncBegin, 7, 5);
  Note(EventType::kAsyncBegin, 7, 5);
  EXPECT_EQ(Note(EventType::kAsyncEnd, 7, 5), Verdict::kFits);
  EXPECT_EQ(Note(EventType::kAsyncInstant, 7, 5), Verdict::kFits);
  EXPECT_EQ(Note(EventType::kAsyncEnd, 7, 5), Verdict::kFits);
  EXPECT_EQ(Note(EventType::kAsyncEnd, 7, 5), Verdict::kLoneAsync);
}

TEST_F(SpanTrackerTest, FlowsAreNoAsyncOperations) {
  Note(EventType::kAsyncBegin, 7, 5);
  EXPECT_EQ(Note(EventType::kFlowStep, 7, 5), Verdict::kLoneFlow);
  EXPECT_EQ(Note(EventType::kFlowBegin, 7, 5), Verdict::kFits);
  EXPECT_EQ(Note(EventType::kFlowStep, 9, 5), Verdict::kFits);
  EXPECT_EQ(Note(EventType::kFlowEnd, 9, 5), Verdict::kFits);
  EXPECT_EQ(Note(EventType::kFlowEnd, 9, 5), Verdict::kLoneFlow);
}

// An id and a category are not one text: 1 of "2/c" is not 12 of "c", nor 1/2 of another.
TEST_F(SpanTrackerTest, IdsAndCategoriesDoNotRunIntoEachOther) {
  Note(EventType::kAsyncBegin, 7, 0x12, "c");
  EXPECT_EQ(Note(EventType::kAsyncEnd, 7, 0x1, "2/c"), Verdict::kLoneAsync);
  EXPECT_EQ(Note(EventType::kAsyncEnd, 7, UINT64_MAX, "c"), Verdict::kLoneAsync);
  EXPECT_EQ(Note(EventType::kAsyncEnd, 7, 0x12, "c"), Verdict::kFits);
}

TEST_F(SpanTrackerTest, OtherEventsFit) {
  for (const EventType type :
       {EventType::kInstant, EventType::kCounter, EventType::kDurationComplete}) {
    EXPECT_EQ(Note(type, 7), Verdict::kFits);
  }
}

}  // namespace
}  // namespace facts
