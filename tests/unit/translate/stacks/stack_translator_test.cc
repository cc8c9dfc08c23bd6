// SPDX-License-Identifier: BSD-2-Clause
#include "translate/stacks/stack_translator.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string>
#include <vector>

#include "fxt_record/long_event.h"
#include "schema/stack_id.h"
#include "unit/translate/capture_script.h"

namespace translate {
namespace {

using testing::CaptureScript;

constexpr uint64_t kKernel = 0xffffffff81000000;

// Sends stacks in the form of the BPF programs and the sampler to a translator.
class StackScript {
 public:
  StackScript() : script_(TranslatorOptions{.stacks = true}) {
    script_.Task(100, 100, "app").Task(101, 100, "worker");
  }
  StackScript& Stack(uint64_t time, fxr_stack_long stack, const std::vector<uint64_t>& frames,
                     uint32_t cut_bytes = 0) {
    script_.Lines();  // the recording has begun by then
    const uint64_t bytes = frames.size() * sizeof(uint64_t) - cut_bytes;
    std::vector<uint64_t> words(FXR_LONG_SIZE(stack, frames.size() * 8) / 8);
    auto* event = reinterpret_cast<fxr_long*>(words.data());
    event->header.time = time;
    event->header.type = FXR_SIDE_LONG;
    event->header.size = static_cast<fxr_u32>(words.size() * 8);
    event->category = FXR_CATEGORY_STACK;
    fxr_pack_stack(event, stack, static_cast<fxr_u32>(bytes));
    std::copy(frames.begin(), frames.end(), static_cast<uint64_t*>(fxr_stack_bytes(event)));
    script_.translator().OnSideEvent(event->header);
    return *this;
  }
  std::vector<std::string> Lines() { return script_.Lines(" instant "); }
  TranslationStats stats() { return script_.translator().stats(); }
  CaptureScript& script() { return script_; }

 private:
  CaptureScript script_;
};

fxr_stack_long Off(uint32_t tid, uint64_t away, uint32_t user_frames) {
  fxr_stack_long stack{};
  stack.kind = FXR_STACK_OFF;
  stack.tid = tid;
  stack.tgid = 100;
  stack.away = away;
  stack.user_frames = user_frames;
  return stack;
}

TEST(StackTranslatorTest, OccurrencesAreInstantsOnTheirThreads) {
  StackScript script;
  fxr_stack_long on = Off(100, 0, 1);
  on.kind = FXR_STACK_ON;
  fxr_stack_long wake = Off(100, 7000, 1);
  wake.kind = FXR_STACK_WAKE;
  wake.woken_tid = 101;
  script.Stack(10, Off(101, 5000, 1), {0x1000, kKernel}).Stack(20, on, {0x1000});
  script.Stack(30, wake, {0x2000, kKernel});
  const auto lines = script.Lines();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(lines[0].starts_with("10 instant worker/101 stack:off")) << lines[0];
  EXPECT_NE(lines[0].find("away=5000"), std::string::npos) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("20 instant app/100 stack:on")) << lines[1];
  EXPECT_EQ(lines[1].find("away"), std::string::npos) << lines[1];
  EXPECT_TRUE(lines[2].starts_with("30 instant app/100 stack:wake")) << lines[2];
  EXPECT_NE(lines[2].find("woken=koid 101"), std::string::npos) << lines[2];
  EXPECT_EQ(script.stats().recorded[FXR_CATEGORY_STACK], 3u);
  EXPECT_EQ(script.stats().events[FXR_CATEGORY_STACK], 3u);
}

TEST(StackTranslatorTest, TheEndOfTheUserHalfIsNamed) {
  StackScript script;
  fxr_stack_long off = Off(101, 5000, 1);
  off.end = FXR_STACK_END_ENTRY;
  fxr_stack_long cut = Off(101, 5000, 1);
  cut.end = FXR_STACK_END_NO_TABLE;
  // A stack that the kernel unwound.
  const fxr_stack_long unknown = Off(101, 5000, 1);
  script.Stack(10, off, {0x1000}).Stack(20, cut, {0x1000}).Stack(30, unknown, {0x1000});
  const auto lines = script.Lines();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_NE(lines[0].find("end=entry"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find("end=no_table"), std::string::npos) << lines[1];
  EXPECT_EQ(lines[2].find("end="), std::string::npos) << lines[2];
  EXPECT_EQ(script.stats().stack_ends.of(FXR_STACK_END_ENTRY), 1u);
  EXPECT_EQ(script.stats().stack_ends.of(FXR_STACK_END_NO_TABLE), 1u);
}

TEST(StackTranslatorTest, AnEarlyEndNamesTheFileOfTheLastFrame) {
  StackScript script;
  script.script().translator().OnMapping(5, {.pid = 100,
                                             .tid = 100,
                                             .address = 0x1000,
                                             .size = 0x1000,
                                             .protection = PROT_READ | PROT_EXEC,
                                             .build_id = {},
                                             .file = "/opt/lib/libfoo.so"});
  fxr_stack_long cut = Off(101, 5000, 2);
  cut.end = FXR_STACK_END_NO_TABLE;
  fxr_stack_long deep = Off(101, 5000, 2);
  deep.end = FXR_STACK_END_DEEP;
  // The return address of the outermost frame is after a call at the end of the file.
  script.Stack(10, cut, {0x9000, 0x2000, kKernel}).Stack(20, cut, {0x1000, 0x2001, kKernel});
  script.Stack(30, deep, {0x9000, 0x2000, kKernel});
  const auto lines = script.Lines();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_NE(lines[0].find("end_in=libfoo.so"), std::string::npos) << lines[0];
  EXPECT_EQ(lines[1].find("end_in"), std::string::npos) << lines[1];
  EXPECT_EQ(lines[2].find("end_in"), std::string::npos) << lines[2];
  EXPECT_EQ(script.stats().stack_ends.DescribeReasons(1),
            "libfoo.so has no unwind table there (1), ...");
}

// perf reports -1 for a task that has released its pid and has not left its CPU yet.
TEST(StackTranslatorTest, AttributesATaskWithoutAPidToTheRunningThread) {
  StackScript script;
  script.script().Switch(5, 0, 100, 101);
  fxr_stack_long on = Off(UINT32_MAX, 0, 0);
  on.kind = FXR_STACK_ON;
  on.tgid = UINT32_MAX;
  script.Stack(10, on, {kKernel}).Stack(20, on, {kKernel});
  const auto lines = script.Lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].starts_with("10 instant worker/101 stack:on")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("20 instant worker/101 stack:on")) << lines[1];
}

TEST(StackTranslatorTest, WakerWithoutAThreadIsTheCpuTrack) {
  StackScript script;
  fxr_stack_long wake = Off(0, 7000, 0);
  wake.kind = FXR_STACK_WAKE;
  wake.woken_tid = 101;
  wake.tgid = 0;
  script.Stack(30, wake, {kKernel});
  const auto lines = script.Lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].find("app/100"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("stack:wake"), std::string::npos) << lines[0];
}

TEST(StackTranslatorTest, CountsInvalidStacks) {
  StackScript script;
  fxr_stack_long strange = Off(101, 1, 0);
  strange.kind = 9;
  script.Stack(10, strange, {kKernel});
  EXPECT_TRUE(script.Lines().empty());
  EXPECT_EQ(script.stats().unreadable, 1u);
  // More user frames than frames, and a truncated address.
  script.Stack(20, Off(101, 1, 99), {0x1000}).Stack(30, Off(101, 1, 1), {0x1000, kKernel}, 4);
  EXPECT_EQ(script.Lines().size(), 2u);
}

TEST(StackTranslatorTest, StacksAreUnreadableWithoutTheCategory) {
  CaptureScript script;
  script.Task(100, 100, "app");
  EXPECT_EQ(script.Lines(" instant ").size(), 0u);
}

}  // namespace
}  // namespace translate
