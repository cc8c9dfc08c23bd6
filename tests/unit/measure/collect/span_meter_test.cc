// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/span_meter.h"

#include <gtest/gtest.h>

#include <string_view>

namespace measure {
namespace {

fxt::Event Event(fxt::EventType type, std::string_view category, std::string_view name) {
  fxt::Event event;
  event.type = type;
  event.thread = fxt::ThreadRef::Inline(5, 5);
  event.category = fxt::StringRef::Inline(category);
  event.name = fxt::StringRef::Inline(name);
  return event;
}
const fxt::Event kBegin = Event(fxt::EventType::kDurationBegin, "syscall", "wait4");
const fxt::Event kEnd = Event(fxt::EventType::kDurationEnd, "syscall", "wait4");

TEST(SpanMeterTest, ABeginAndItsEndAreASpan) {
  SpanMeter meter;
  EXPECT_EQ(SpanMeter::KindOf(kBegin), SpanKind::kSyscall);
  EXPECT_EQ(SpanMeter::KindOf(Event(fxt::EventType::kInstant, "irq", "x")), std::nullopt);
  meter.Begin(SpanKind::kSyscall, kBegin, 10, 3);
  const auto span = meter.End(SpanKind::kSyscall, kEnd, 25, 0, 4);
  ASSERT_TRUE(span);
  EXPECT_EQ(span->end - span->begin, 15u);
  EXPECT_EQ(span->owner, 3u);
  EXPECT_EQ(meter.names()[span->name], "wait4") << "calls keep their digits";
  EXPECT_FALSE(meter.End(SpanKind::kSyscall, kEnd, 30, 0, 4)) << "its begin is missing";
}

TEST(SpanMeterTest, EdgesCutAndLossesLeaveOpen) {
  SpanMeter meter;
  const auto first = meter.End(SpanKind::kSyscall, kEnd, 30, 7, 4);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->extent, Extent::kCut);
  EXPECT_EQ(first->begin, 7u);
  meter.Begin(SpanKind::kSyscall, kBegin, 40, 3);
  meter.NoteLoss();
  EXPECT_EQ(meter.End(SpanKind::kSyscall, kEnd, 50, 7, 4)->extent, Extent::kUnknown);
  meter.Begin(SpanKind::kSyscall, kBegin, 60, 3);
  ASSERT_EQ(meter.Finish(65).size(), 1u);
  EXPECT_EQ(meter.Finish(65)[0].extent, Extent::kCut);
}

}  // namespace
}  // namespace measure
