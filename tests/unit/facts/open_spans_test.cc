// SPDX-License-Identifier: BSD-2-Clause
#include "facts/open_spans.h"

#include <gtest/gtest.h>

namespace facts {
namespace {

fxt::Event EndOn(fxt::Koid thread) {
  fxt::Event event;
  event.type = fxt::EventType::kDurationEnd;
  event.thread = fxt::ThreadRef::Inline(1, thread);
  return event;
}

OpenSpan SpanOn(fxt::Koid thread, const std::string& name) {
  OpenSpan span;
  span.thread = fxt::ThreadRef::Inline(1, thread);
  span.name = name;
  return span;
}

TEST(OpenSpansTest, LastBeginEndsFirst) {
  OpenSpans spans;
  spans.Begin(SpanOn(1, "outer"));
  spans.Begin(SpanOn(1, "inner"));
  EXPECT_FALSE(spans.End(0, EndOn(2)));
  EXPECT_EQ(spans.End(0, EndOn(1))->name, "inner");
  EXPECT_EQ(spans.End(0, EndOn(1))->name, "outer");
  EXPECT_FALSE(spans.End(0, EndOn(1)));
}

TEST(OpenSpansTest, KnowsWhereWantedDurationsAreOpen) {
  OpenSpans spans;
  OpenSpan wanted = SpanOn(1, "wanted");
  wanted.wanted = true;
  spans.Begin(SpanOn(1, "outer"));
  EXPECT_FALSE(spans.HasWantedDuration(0, 1));
  spans.Begin(wanted);
  spans.Begin(SpanOn(1, "inner"));
  EXPECT_TRUE(spans.HasWantedDuration(0, 1));
  EXPECT_FALSE(spans.HasWantedDuration(0, 2));
  EXPECT_FALSE(spans.HasWantedDuration(3, 1));
  spans.End(0, EndOn(1));
  spans.End(0, EndOn(1));
  EXPECT_FALSE(spans.HasWantedDuration(0, 1));
}

TEST(OpenSpansTest, ProvidersDoNotEndEachOthersSpans) {
  OpenSpans spans;
  OpenSpan duration = SpanOn(1, "duration");
  OpenSpan operation = SpanOn(1, "operation");
  operation.id = 5;
  operation.category = "c";
  duration.owner = operation.owner = 3;
  spans.Begin(duration);
  spans.Begin(operation);
  fxt::Event end = EndOn(1);
  EXPECT_FALSE(spans.End(4, end));
  EXPECT_EQ(spans.End(3, end)->name, "duration");
  end.type = fxt::EventType::kAsyncEnd;
  end.category = fxt::StringRef::Inline("c");
  end.payload = 5;
  EXPECT_FALSE(spans.End(4, end));
  EXPECT_EQ(spans.End(3, end)->name, "operation");
}

TEST(OpenSpansTest, FlowsAndOperationsOfOneIdAreApart) {
  OpenSpans spans;
  OpenSpan operation = SpanOn(1, "operation");
  operation.id = 5;
  operation.category = "c";
  OpenSpan flow = operation;
  flow.name = "flow";
  flow.is_flow = true;
  spans.Begin(flow);
  spans.Begin(operation);
  fxt::Event end = EndOn(1);
  end.category = fxt::StringRef::Inline("c");
  end.payload = 5;
  end.type = fxt::EventType::kFlowEnd;
  EXPECT_EQ(spans.End(0, end)->name, "flow");
  end.type = fxt::EventType::kAsyncEnd;
  EXPECT_EQ(spans.End(0, end)->name, "operation");
}

TEST(OpenSpansTest, StaysWithinItsLimit) {
  OpenSpans spans(10'000);
  for (fxt::Koid thread = 0; thread < 1000; ++thread) spans.Begin(SpanOn(thread, "x"));
  const size_t kept = spans.Take().size();
  EXPECT_GT(kept, 5U);
  EXPECT_LT(kept, 100U);
  // Spans that were taken make room.
  spans.Begin(SpanOn(1, "again"));
  EXPECT_EQ(spans.Take().size(), 1U);
}

TEST(OpenSpansTest, ReportsInAdvanceIfThereIsRoom) {
  OpenSpans spans(10'000);
  EXPECT_TRUE(spans.HasRoom(10'000));
  EXPECT_EQ(spans.left_out(), 0u);
  spans.Begin(SpanOn(1, "open"));
  EXPECT_FALSE(spans.HasRoom(10'000));
  EXPECT_EQ(spans.left_out(), 1u);
}

TEST(OpenSpansTest, TakesOpenSpansInOrderOfTime) {
  OpenSpans spans;
  for (const uint64_t time : {300, 100, 200}) {
    OpenSpan span = SpanOn(1000 - time, "x");
    span.time = time;
    spans.Begin(std::move(span));
  }
  std::vector<uint64_t> times;
  for (const OpenSpan& span : spans.Take()) times.push_back(span.time);
  EXPECT_EQ(times, (std::vector<uint64_t>{100, 200, 300}));
}

}  // namespace
}  // namespace facts
