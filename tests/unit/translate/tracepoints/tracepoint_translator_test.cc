// SPDX-License-Identifier: BSD-2-Clause
#include "translate/tracepoints/tracepoint_translator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "fxt_record/long_event.h"
#include "unit/translate/capture_script.h"

namespace translate {
namespace {

using schema::TracepointField;
using testing::CaptureScript;

schema::TracepointFormat FormatWith(size_t fields) {
  schema::TracepointFormat format{.system = "kmem", .name = "alloc", .id = 7, .fields = {}};
  for (size_t i = 0; i < fields; ++i) {
    TracepointField field;
    field.name = "f" + std::to_string(i);
    field.kind = TracepointField::Kind::kUnsigned;
    field.offset = static_cast<uint32_t>(8 + 4 * i);
    field.size = field.element_size = 4;
    format.fields.push_back(field);
  }
  return format;
}

// An event whose field i has the value i.
void Send(CaptureScript& script, uint64_t time, uint32_t number, uint32_t tid, uint32_t bytes) {
  script.Lines();  // the recording has begun by then
  std::vector<uint64_t> words((FXR_LONG_SIZE(tracepoint, bytes) + 7) / 8);
  auto* event = reinterpret_cast<fxr_long*>(words.data());
  event->header.time = time;
  event->header.type = FXR_SIDE_LONG;
  event->header.size = static_cast<fxr_u32>(words.size() * 8);
  event->category = FXR_CATEGORY_TRACEPOINT;
  fxr_pack_tracepoint(event, fxr_tracepoint_long{number, tid}, bytes);
  auto* record = static_cast<char*>(fxr_tracepoint_bytes(event));
  for (uint32_t i = 0; 8 + 4 * i + 4 <= bytes; ++i) std::memcpy(record + 8 + 4 * i, &i, 4);
  script.translator().OnSideEvent(event->header);
}

TEST(TracepointTranslatorTest, AnEventIsAnInstantWithItsFields) {
  CaptureScript script(TranslatorOptions{.tracepoints = {FormatWith(0), FormatWith(2)}});
  script.Task(100, 100, "app");
  Send(script, 10, 1, 100, 16);
  const auto lines = script.Lines(" instant ");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], "10 instant app/100 kmem:alloc {f0=0 f1=1}");
  EXPECT_EQ(script.translator().stats().recorded[FXR_CATEGORY_TRACEPOINT], 1u);
}

TEST(TracepointTranslatorTest, FieldsBeyondTheFourteenthShareAnArgument) {
  CaptureScript script(TranslatorOptions{.tracepoints = {FormatWith(15), FormatWith(17)}});
  script.Task(100, 100, "app");
  Send(script, 10, 0, 100, 8 + 15 * 4);
  Send(script, 20, 1, 100, 8 + 17 * 4);
  const auto lines = script.Lines(" instant ");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[0].find("f14=14}"), std::string::npos) << lines[0];
  EXPECT_EQ(lines[0].find("more"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find("f13=13 more=f14=14 f15=15 f16=16}"), std::string::npos) << lines[1];
}

TEST(TracepointTranslatorTest, CountsUnknownNumbersAsUnreadable) {
  CaptureScript script(TranslatorOptions{.tracepoints = {FormatWith(1)}});
  script.Task(100, 100, "app");
  Send(script, 10, 1, 100, 16);
  EXPECT_TRUE(script.Lines(" instant ").empty());
  EXPECT_EQ(script.translator().stats().unreadable, 1u);
}

TEST(TracepointTranslatorTest, EventsOfTheIdleTaskAreOnTheCpuTrack) {
  CaptureScript script(TranslatorOptions{.tracepoints = {FormatWith(0)}});
  Send(script, 10, 0, 0, 8);
  EXPECT_EQ(script.Lines(" instant ").size(), 1u);
}

}  // namespace
}  // namespace translate
