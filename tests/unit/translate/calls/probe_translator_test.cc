// SPDX-License-Identifier: BSD-2-Clause
#include "translate/calls/probe_translator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fxt_record/long_event.h"
#include "unit/translate/capture_script.h"

namespace translate {
namespace {

using testing::CaptureScript;

std::vector<probes::Probe> Probes() {
  probes::Probe outer, inner, usdt, entry;
  entry.name = "entry";
  entry.entry_only = true;
  outer.name = "outer";
  inner.name = "inner";
  inner.return_value = true;
  usdt.kind = probes::Probe::Kind::kUsdt;
  usdt.name = "shop:sold";
  usdt.arguments = {{4, true, false}, {8, false, false}, {8, true, true}};
  probes::Probe values;
  values.name = "values";
  values.return_value = true;
  using Form = probes::ArgumentType::Form;
  values.shown = {{"size", {4, true, false, Form::kNumber}, {}, {}},
                  {"path", {8, false, false, Form::kText}, {}, fxr_probe_operand{}},
                  {"is_open", {1, false, false, Form::kBool}, {}, {}},
                  {"buffer", {8, false, false, Form::kPointer}, {}, {}}};
  probes::Probe kernel, interrupt;
  kernel.kind = interrupt.kind = probes::Probe::Kind::kKernel;
  kernel.name = "kernel";
  interrupt.name = "interrupt";
  return {outer, inner, usdt, entry, values, kernel, interrupt};
}

enum : uint32_t { kOuter, kInner, kUsdt, kEntry, kValues, kInKernel, kInterrupt };

class Script {
 public:
  Script() : script_(TranslatorOptions{.probes = Probes()}) {
    script_.Task(100, 100, "app").Task(101, 100, "worker");
  }
  Script& Entry(uint64_t time, uint32_t probe, uint64_t frame, uint32_t tid = 100,
                uint32_t cpu = 0) {
    script_.Slot(time, cpu, FXR_SLOT_PROBE_ENTRY,
                 fxr_pack_probe_entry({.tid = tid, .probe = probe, .frame = frame}));
    return *this;
  }
  Script& Return(uint64_t time, uint32_t probe, uint64_t frame, uint32_t tid = 100,
                 uint32_t cpu = 0) {
    script_.Slot(time, cpu, FXR_SLOT_PROBE_RETURN,
                 fxr_pack_probe_return({.tid = tid, .probe = probe, .frame = frame}));
    return *this;
  }
  // As the program sends it.
  Script& Value(uint64_t time, uint64_t value, uint32_t tid = 100) {
    if (static_cast<uint64_t>(static_cast<int64_t>(value << 14) >> 14) != value) {
      script_.Slot(
          time, 0, FXR_SLOT_PROBE_VALUE_TOP,
          fxr_pack_probe_value_top({.tid = tid, .top = static_cast<uint32_t>(value >> 50)}));
    }
    script_.Slot(time, 0, FXR_SLOT_PROBE_VALUE,
                 fxr_pack_probe_value({.tid = tid, .value = static_cast<int64_t>(value)}));
    return *this;
  }
  Script& Hit(uint64_t time, uint32_t probe, const std::vector<uint64_t>& values,
              uint32_t unread = 0) {
    script_.Lines();  // the recording has begun by then
    std::vector<uint64_t> words(FXR_LONG_SIZE(probe_hit, 96) / 8);
    auto* event = reinterpret_cast<fxr_long*>(words.data());
    event->header.time = time;
    event->header.type = FXR_SIDE_LONG;
    event->header.size = static_cast<fxr_u32>(words.size() * 8);
    event->category = FXR_CATEGORY_PROBE;
    fxr_pack_probe_hit(event, {.tid = 100, .probe = probe, .unread = unread},
                       static_cast<fxr_u32>(values.size() * 8));
    std::copy(values.begin(), values.end(), static_cast<uint64_t*>(fxr_probe_hit_bytes(event)));
    script_.translator().OnSideEvent(event->header);
    return *this;
  }
  // A text in `values` is represented by its length.
  Script& Values(uint64_t time, const std::vector<uint64_t>& values, const std::string& text,
                 uint32_t unread = 0, uint8_t is_result = 0) {
    script_.Lines();
    std::vector<uint64_t> words(FXR_LONG_SIZE(probe_values, FXR_PROBE_EVENT_BYTES(1)) / 8);
    auto* event = reinterpret_cast<fxr_long*>(words.data());
    event->header.time = time;
    event->header.type = FXR_SIDE_LONG;
    event->header.size = static_cast<fxr_u32>(words.size() * 8);
    event->category = FXR_CATEGORY_PROBE;
    fxr_pack_probe_values(
        event,
        {.tid = 100, .probe = kValues, .frame = 1000, .unread = unread, .is_result = is_result},
        FXR_PROBE_EVENT_BYTES(1));
    auto* bytes = static_cast<char*>(fxr_probe_values_bytes(event));
    std::copy(values.begin(), values.end(), reinterpret_cast<uint64_t*>(bytes));
    std::copy(text.begin(), text.end(), bytes + FXR_PROBE_VALUES_BYTES);
    script_.translator().OnSideEvent(event->header);
    return *this;
  }
  std::vector<std::string> Lines() { return script_.Lines(" probe:"); }
  CaptureScript& script() { return script_; }

 private:
  CaptureScript script_;
};

using Texts = std::vector<std::string>;

// Stacks of the program, of its thread in the kernel, and of interrupts. The order of kernel stacks
// in memory is arbitrary.
constexpr uint64_t kUserStack = 5u << 12, kThreadStack = 9u << 12, kLowStack = 3u << 12;

TEST(ProbeTranslatorTest, FunctionsOfTheKernelNestInThoseOfTheProgramAndInterruptsInBoth) {
  Script script;
  script.Entry(10, kOuter, kUserStack + 9)
      .Entry(11, kInKernel, kThreadStack + 9)
      .Entry(12, kInterrupt, kLowStack + 9)
      .Entry(13, kInterrupt, kLowStack + 5)
      .Return(14, kInterrupt, kLowStack + 5)
      .Return(15, kInterrupt, kLowStack + 9)
      .Entry(16, kInKernel, kThreadStack + 5)
      .Return(17, kInKernel, kThreadStack + 5)
      .Return(18, kInKernel, kThreadStack + 9)
      .Return(20, kOuter, kUserStack + 9);
  const Texts lines = script.Lines();
  ASSERT_EQ(lines.size(), 10u);
  for (const std::string& line : lines)
    EXPECT_EQ(line.find("no_return"), std::string::npos) << line;
  EXPECT_EQ(lines[3], "13 begin app/100 probe:interrupt");
  EXPECT_EQ(lines[8], "18 end app/100 probe:kernel");
}

TEST(ProbeTranslatorTest, LostReturnsOfTheKernelEndAtTheNextOutsideEvent) {
  Script script;
  script.Entry(10, kInKernel, kThreadStack + 9)
      .Entry(11, kInterrupt, kLowStack + 9)  // its return is lost; the thread continues
      .Entry(12, kInKernel, kThreadStack + 5)
      .Return(13, kInKernel, kThreadStack + 9)  // the inner return is lost
      .Entry(14, kInKernel, kThreadStack + 9)   // its return is lost; the program continues
      .Entry(15, kOuter, kUserStack + 9)
      .Return(16, kOuter, kUserStack + 9);
  EXPECT_EQ(
      script.Lines(),
      (Texts{"10 begin app/100 probe:kernel", "11 begin app/100 probe:interrupt",
             "12 end app/100 probe:interrupt {no_return=true}", "12 begin app/100 probe:kernel",
             "13 end app/100 probe:kernel {no_return=true}", "13 end app/100 probe:kernel",
             "14 begin app/100 probe:kernel", "15 end app/100 probe:kernel {no_return=true}",
             "15 begin app/100 probe:outer", "16 end app/100 probe:outer"}));
}

TEST(ProbeTranslatorTest, InterruptsOfIdleCpusDoNotMix) {
  Script script;
  script.Entry(10, kInterrupt, kLowStack + 9, 0, 0)
      .Entry(11, kInterrupt, kLowStack + 9, 0, 1)
      .Return(12, kInterrupt, kLowStack + 9, 0, 0)
      .Return(13, kInterrupt, kLowStack + 9, 0, 1);
  const Texts lines = script.Lines();
  ASSERT_EQ(lines.size(), 4u);
  for (const std::string& line : lines)
    EXPECT_EQ(line.find("no_return"), std::string::npos) << line;
  EXPECT_NE(lines[0].substr(0, lines[0].find(" probe")).substr(9),
            lines[1].substr(0, lines[1].find(" probe")).substr(9));
}

TEST(ProbeTranslatorTest, CallsNest) {
  Script script;
  script.Entry(10, kOuter, 1000).Entry(20, kInner, 900).Value(29, -5).Return(30, kInner, 900);
  script.Return(40, kOuter, 1000);
  EXPECT_EQ(script.Lines(),
            (Texts{"10 begin app/100 probe:outer", "20 begin app/100 probe:inner",
                   "30 end app/100 probe:inner {retval=-5}", "40 end app/100 probe:outer"}));
}

TEST(ProbeTranslatorTest, ReturnValuesHaveAllBits) {
  Script script;
  uint64_t time = 10;
  for (const uint64_t value : {uint64_t{0}, uint64_t{1} << 49, uint64_t{0x9e3779b97f4a7c15},
                               uint64_t{1} << 63, ~uint64_t{0}, uint64_t{0x7f0123456789}}) {
    script.Entry(time, kInner, 900).Value(time + 1, value).Return(time + 2, kInner, 900);
    const auto lines = script.Lines();
    ASSERT_FALSE(lines.empty());
    EXPECT_NE(lines.back().find("retval=" + std::to_string(static_cast<int64_t>(value)) + "}"),
              std::string::npos)
        << lines.back();
    time += 10;
  }
}

TEST(ProbeTranslatorTest, EndsCallsLeftByLongjmp) {
  Script script;
  // longjmp() leaves two calls for the outer one, which returns. Then a call from a frame further
  // out.
  script.Entry(10, kOuter, 1000).Entry(20, kInner, 900).Entry(30, kInner, 800);
  script.Return(40, kOuter, 1000);
  script.Entry(50, kInner, 900).Entry(60, kOuter, 1000).Return(70, kOuter, 1000);
  EXPECT_EQ(script.Lines(),
            (Texts{"10 begin app/100 probe:outer", "20 begin app/100 probe:inner",
                   "30 begin app/100 probe:inner", "40 end app/100 probe:inner {no_return=true}",
                   "40 end app/100 probe:inner {no_return=true}", "40 end app/100 probe:outer",
                   "50 begin app/100 probe:inner", "60 end app/100 probe:inner {no_return=true}",
                   "60 begin app/100 probe:outer", "70 end app/100 probe:outer"}));
}

TEST(ProbeTranslatorTest, HandlesTailCalls) {
  Script script;
  script.Entry(10, kOuter, 1000).Entry(20, kInner, 1000);
  script.Value(30, 1).Return(31, kInner, 1000).Return(32, kOuter, 1000);
  EXPECT_EQ(script.Lines(),
            (Texts{"10 begin app/100 probe:outer", "20 begin app/100 probe:inner",
                   "31 end app/100 probe:inner {retval=1}", "32 end app/100 probe:outer"}));
}

TEST(ProbeTranslatorTest, SkipsReturnsWithoutAnEntry) {
  Script script;
  script.Return(10, kOuter, 1000).Entry(20, kInner, 900).Return(30, kInner, 904);
  EXPECT_EQ(script.Lines(), (Texts{"20 begin app/100 probe:inner"}));
  EXPECT_EQ(script.script().translator().stats().unmatched_ends, 2u);
}

TEST(ProbeTranslatorTest, AnEntryAloneIsAnInstant) {
  Script script;
  script.Entry(10, kOuter, 1000).Entry(20, kEntry, 900).Return(30, kOuter, 1000);
  EXPECT_EQ(script.Lines(), (Texts{"10 begin app/100 probe:outer", "20 instant app/100 probe:entry",
                                   "30 end app/100 probe:outer"}));
}

TEST(ProbeTranslatorTest, EndsCallsWithTheirThread) {
  Script script;
  script.Entry(10, kOuter, 1000, 100).Entry(20, kOuter, 1000, 101);
  script.script().Exit(30, 101, 100, 0);
  script.Return(40, kOuter, 1000, 100);
  EXPECT_EQ(
      script.Lines(),
      (Texts{"10 begin app/100 probe:outer", "20 begin worker/101 probe:outer",
             "30 end worker/101 probe:outer {no_return=true}", "40 end app/100 probe:outer"}));
}

TEST(ProbeTranslatorTest, NoCallReturnsAfterAnExec) {
  Script script;
  script.Entry(10, kOuter, 1000);
  script.script().Slot(20, 0, FXR_SLOT_SYSCALL_ENTRY,
                       fxr_pack_syscall_entry({.tid = 100, .number = 59, .is_compat = 0}));
  script.script().Exec(30, 100, 100, "other", "/bin/other", "other");
  script.script().Slot(40, 0, FXR_SLOT_SYSCALL_EXIT,
                       fxr_pack_syscall_exit({.tid = 100, .result = 0}));
  const auto lines = script.Lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[1].starts_with("40 end ")) << lines[1];
  EXPECT_NE(lines[1].find("no_return"), std::string::npos);
}

TEST(ProbeTranslatorTest, UsdtArgumentsHaveTheTypesOfTheNote) {
  Script script;
  script.Hit(10, kUsdt, {static_cast<uint64_t>(-3), uint64_t{5} << 40, 1});
  script.Hit(20, kUsdt, {1, 2}, 1);
  EXPECT_EQ(script.Lines(),
            (Texts{"10 instant app/100 probe:shop:sold {arg1=-3 arg2=5497558138880}",
                   "20 instant app/100 probe:shop:sold {arg2=2}"}));
}

TEST(ProbeTranslatorTest, ACallHasItsArgumentsAndAText) {
  Script script;
  script.Values(10, {static_cast<uint64_t>(-5), 5, 5, 1, 0x1000}, "/path")
      .Values(20, {2}, "ok", 0, 1);
  const Texts lines = script.Return(20, kValues, 1000).Lines();
  ASSERT_EQ(lines.size(), 2u);
  for (const char* part : {"size=-5", "/path", "is_open=true", "buffer="}) {
    EXPECT_NE(lines[0].find(part), std::string::npos) << lines[0];
  }
  EXPECT_NE(lines[1].find("ok"), std::string::npos) << lines[1];
}

TEST(ProbeTranslatorTest, UnreadableArgumentsAreCounted) {
  Script script;
  script.Values(10, {1, 0x4000, 0, 0, 0}, "", 0b10);
  EXPECT_NE(script.Lines().at(0).find("unreadable"), std::string::npos);
  EXPECT_EQ(script.script().translator().stats().unread_arguments, 1u);
}

TEST(ProbeTranslatorTest, CountsUnknownProbeNumbers) {
  Script script;
  script.Entry(10, 77, 1000).Hit(20, 78, {});
  EXPECT_TRUE(script.Lines().empty());
  EXPECT_EQ(script.script().translator().stats().unreadable, 2u);
}

}  // namespace
}  // namespace translate
