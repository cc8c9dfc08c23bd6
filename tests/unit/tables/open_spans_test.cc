// SPDX-License-Identifier: BSD-2-Clause
#include "tables/open_spans.h"

#include <gtest/gtest.h>

namespace tables {
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

TEST(OpenSpansTest, TheLastThatBeganEndsFirst) {
  OpenSpans spans;
  spans.Begin(SpanOn(1, "outer"));
  spans.Begin(SpanOn(1, "inner"));
  EXPECT_FALSE(spans.End(EndOn(2)));
  EXPECT_EQ(spans.End(EndOn(1))->name, "inner");
  EXPECT_EQ(spans.End(EndOn(1))->name, "outer");
  EXPECT_FALSE(spans.End(EndOn(1)));
}

TEST(OpenSpansTest, KeepsNoMoreThanItMay) {
  OpenSpans spans(10'000);
  for (fxt::Koid thread = 0; thread < 1000; ++thread) spans.Begin(SpanOn(thread, "x"));
  const size_t kept = spans.Take().size();
  EXPECT_GT(kept, 5U);
  EXPECT_LT(kept, 100U);
  // What was taken makes room.
  spans.Begin(SpanOn(1, "again"));
  EXPECT_EQ(spans.Take().size(), 1U);
}

}  // namespace
}  // namespace tables
