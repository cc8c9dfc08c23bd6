// SPDX-License-Identifier: BSD-2-Clause
#include "tables/stack_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "schema/script_frame.h"
#include "schema/stack_id.h"
#include "unit/measure/trace_script.h"
#include "unit/tables/table_rows.h"

namespace tables {
namespace {

using measure::testing::TraceScript;
using ::testing::ElementsAre;
using testing::RowsOf;

constexpr uint64_t kKernelAddress = 0xffffffff81000010;
const std::vector<uint64_t> kSleeper = {kKernelAddress, 0x1010, 0x2020, 0x9999};

// The functions of a file, of the kernel and of code that process 10 compiled.
void FillStacks(TraceScript& script) {
  script.Process(10, "app").Thread(10, "worker", 10).Name(20, "other");
  const std::vector<std::byte> id = {std::byte{0xab}, std::byte{0x01}};
  const auto thread = fxt::ThreadRef::Inline(10, 10);
  script.Add(fxt::ProfilerModule{
      .timestamp = 1, .thread = thread, .module_id = 3, .name = "/bin/app", .build_id = id});
  script.Add(fxt::ProfilerMmap{.timestamp = 1,
                               .thread = thread,
                               .module_id = 3,
                               .flags = 5,
                               .start = 0x1000,
                               .size = 0x1000,
                               .module_offset = 0x4000});
  const auto symbol = [&](const char* name, uint64_t start, std::vector<fxt::Argument> more) {
    more.push_back({fxt::StringRef::Inline("function"), fxt::StringRef::Inline(name)});
    more.push_back({fxt::StringRef::Inline("start"), fxt::PointerValue{start}});
    more.push_back({fxt::StringRef::Inline("size"), uint64_t{0x100}});
    script.Instant(2, 10, "stack", "symbol", more);
  };
  symbol("nap", 0x4000,
         {{fxt::StringRef::Inline("module"), fxt::StringRef::Inline("/bin/app")},
          {fxt::StringRef::Inline("build_id"), fxt::StringRef::Inline("ab01")}});
  symbol("do_nap", kKernelAddress & ~uint64_t{0xff}, {});
  symbol("jitted", 0x2000, {{fxt::StringRef::Inline("process"), fxt::KoidValue{10}}});
  script.Add(fxt::ProfilerBacktrace{.timestamp = 3, .thread = thread, .frames = kSleeper});
}

std::vector<fxt::Argument> StackArguments(uint64_t away) {
  return {{fxt::StringRef::Inline("stack"), fxt::PointerValue{schema::StackIdOf(kSleeper)}},
          {fxt::StringRef::Inline("away"), away},
          {fxt::StringRef::Inline("end"), fxt::StringRef::Inline("entry")}};
}

std::string Id() { return fmt::to_string(static_cast<int64_t>(schema::StackIdOf(kSleeper))); }

TEST(StackRowsTest, InterpretedFunctionsHaveFileAndLine) {
  TraceScript script;
  script.Process(10, "python3").Thread(10, "worker", 10);
  const auto text = [](const char* name, const char* value) {
    return fxt::Argument{fxt::StringRef::Inline(name), fxt::StringRef::Inline(value)};
  };
  const uint64_t function = schema::ScriptFunctionId("commit", "/srv/app.py", 40);
  script.Instant(2, 10, "stack", "symbol",
                 {text("function", "commit"),
                  text("module", "/srv/app.py"),
                  {fxt::StringRef::Inline("start"), fxt::PointerValue{function}},
                  {fxt::StringRef::Inline("size"), schema::kScriptLines},
                  {fxt::StringRef::Inline("line"), uint64_t{40}}});
  // Two lines of a function, the second one in the place of a return address.
  const std::vector<uint64_t> stack = {schema::ScriptFrame(function, 40, 47),
                                       schema::ScriptFrame(function, 40, 40), function};
  script.Add(fxt::ProfilerBacktrace{
      .timestamp = 3, .thread = fxt::ThreadRef::Inline(10, 10), .frames = stack});
  script.Instant(100, 10, "stack", "off",
                 {{fxt::StringRef::Inline("stack"), fxt::PointerValue{schema::StackIdOf(stack)}}});
  {
    using namespace frames;
    EXPECT_THAT(RowsOf(script.bytes(), Table::kFrames,
                       {kDepth, kKernel, kSymbol, kFunction, kModule, kOffset, kLine}),
                ElementsAre("0 0 1 commit /srv/app.py NULL 47", "1 0 1 commit /srv/app.py NULL 40",
                            "2 0 1 commit /srv/app.py NULL NULL"));
  }
  {
    using namespace stack_symbols;
    EXPECT_THAT(RowsOf(script.bytes(), Table::kSymbols, {kId, kName, kModule}),
                ElementsAre("1 commit /srv/app.py"));
  }
}

TEST(StackRowsTest, AStackHasItsFramesAndFunctionsOnce) {
  TraceScript script;
  FillStacks(script);
  script.Instant(100, 10, "stack", "on", StackArguments(0));
  script.Instant(200, 10, "stack", "on", StackArguments(0));
  EXPECT_THAT(RowsOf(script.bytes(), Table::kStacks, uint64_t{0x1f}),
              ElementsAre(Id() + " 4 1 entry 10"));
  {
    using namespace frames;
    EXPECT_THAT(RowsOf(script.bytes(), Table::kFrames,
                       {kDepth, kKernel, kSymbol, kFunction, kModule, kOffset}),
                ElementsAre("0 1 1 do_nap NULL NULL", "1 0 2 nap /bin/app 16400",
                            "2 0 3 jitted NULL NULL", "3 0 NULL NULL NULL NULL"));
  }
  {
    using namespace stack_symbols;
    EXPECT_THAT(
        RowsOf(script.bytes(), Table::kSymbols,
               {kId, kName, kModule, kBuildId, kStart, kSize, kPid}),
        ElementsAre("1 do_nap NULL NULL -2130706432 256 NULL", "2 nap /bin/app ab01 16384 256 NULL",
                    "3 jitted NULL NULL 8192 256 10"));
  }
  EXPECT_THAT(RowsOf(script.bytes(), Table::kInstants, {instants::kTs, instants::kStack}),
              ElementsAre("2 NULL", "2 NULL", "2 NULL", "100 " + Id(), "200 " + Id()));
}

TEST(StackRowsTest, SleepsAndWakeupsHaveTheirStacks) {
  TraceScript script;
  FillStacks(script);
  script.Session(50,
                 {{fxt::StringRef::Inline("categories"), fxt::StringRef::Inline("sched,stack")}});
  script.Switch(100, 0, 0, "S", 10).Switch(500, 0, 10, "S", 20).Wake(600'000, 10, 20);
  auto woken = StackArguments(599'500);
  woken.push_back({fxt::StringRef::Inline("woken"), fxt::KoidValue{10}});
  script.Instant(600'050, 20, "stack", "wake", woken);
  script.Switch(700'000, 0, 20, "R+", 10);
  script.Instant(700'000, 10, "stack", "off", StackArguments(699'500));
  script.Switch(900'000, 0, 10, "S", 20).Switch(950'000, 0, 20, "S", 0);
  RowFilter filter;
  filter.tid = 10;
  EXPECT_THAT(
      RowsOf(script.bytes(), Table::kWaits, {waits::kTs, waits::kKind, waits::kStack}, filter),
      ElementsAre("600000 wakeup NULL", "500 sleep " + Id(), "900000 sleep NULL"));
  EXPECT_THAT(RowsOf(script.bytes(), Table::kWakeups, {wakeups::kTid, wakeups::kStack}),
              ElementsAre("10 " + Id()));
}

}  // namespace
}  // namespace tables
