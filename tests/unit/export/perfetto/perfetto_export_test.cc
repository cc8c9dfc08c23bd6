// SPDX-License-Identifier: BSD-2-Clause
#include "export/perfetto/perfetto_export.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "fxt/byte_source.h"
#include "schema/names.h"
#include "unit/fxt/support/file_builder.h"

namespace exporting::perfetto {
namespace {

using fxt::StringRef;
using fxt::ThreadRef;

class TextSink : public fxt::ByteSink {
 public:
  bool Write(std::span<const std::byte> bytes) override {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return true;
  }
  std::string text;
};

std::string Exported(fxt::testing::FileBuilder& file) {
  fxt::MemorySource source(file.bytes());
  fxt::Reader reader(source);
  TextSink sink;
  PerfettoExport exporter(sink, SampleFormat::kStackSample);
  while (reader.Next() == fxt::ReadStatus::kRecord) exporter.Add(reader);
  EXPECT_TRUE(exporter.Finish());
  return sink.text;
}

void Switch(fxt::testing::FileBuilder& file, uint64_t time, fxt::Koid out, fxt::Koid in) {
  file.Add(fxt::LegacyContextSwitch{.timestamp = time,
                                    .cpu = 0,
                                    .outgoing_state = fxt::ThreadState::kBlocked,
                                    .outgoing = ThreadRef::Inline(out, out),
                                    .incoming = ThreadRef::Inline(in, in),
                                    .outgoing_priority = 120,
                                    .incoming_priority = 120});
}

void Instant(fxt::testing::FileBuilder& file, uint64_t time, std::string_view name,
             std::span<const fxt::Argument> arguments) {
  file.Add(fxt::Event{.type = fxt::EventType::kInstant,
                      .timestamp = time,
                      .thread = ThreadRef::Inline(0, 0),
                      .category = StringRef::Inline(schema::kRecorderName),
                      .name = StringRef::Inline(name),
                      .arguments = arguments,
                      .payload = 0});
}

void Record(fxt::testing::FileBuilder& file, bool forge) {
  file.Add(fxt::ProviderInfo{1, schema::kRecorderName}).Add(fxt::ProviderSection{1});
  file.Add(fxt::Initialization{1'000'000'000});
  file.Add(fxt::ProviderInfo{2, "app"}).Add(fxt::ProviderSection{2});
  file.Add(fxt::Initialization{1'000'000'000}).Add(fxt::ProviderSection{1});
  const fxt::Argument kernel{StringRef::Inline("kernel"), StringRef::Inline("6.1.0")};
  Instant(file, 1000, schema::event::kSession, {&kernel, 1});
  for (uint64_t time = 2000; time < 3000; time += 100) {
    Switch(file, time, 7, 8);
    if (forge) {
      const fxt::Argument waker{StringRef::Inline("waker"), fxt::KoidValue{9}};
      file.Add(fxt::ProviderSection{2});
      file.Add(fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kThread),
                                 7,
                                 StringRef::Inline("forged"),
                                 {}});
      Switch(file, time + 10, 8, 9);
      file.Add(fxt::ThreadWakeup{time + 20, 0, 7, {&waker, 1}});
      file.Add(fxt::ProviderSection{1});
    }
    Switch(file, time + 50, 8, 7);
  }
}

TEST(PerfettoExportTest, TakesFactsFromTheKernelsSectionOnly) {
  fxt::testing::FileBuilder honest;
  Record(honest, false);
  fxt::testing::FileBuilder forged;
  Record(forged, true);
  const std::string expected = Exported(honest);
  EXPECT_GT(expected.size(), 100U);
  EXPECT_EQ(Exported(forged), expected);
}

size_t CountOf(std::string_view what, const std::string& text) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++found;
  return found;
}

// A record refers to a text of 32 KiB by two bytes: a small trace would become a huge one.
TEST(PerfettoExportTest, WritesALongTextOfTheStringTableTwiceAtMost) {
  const std::string text(2000, 'x');
  fxt::testing::FileBuilder file;
  Record(file, false);
  file.Add(fxt::StringRecord{1, text});
  const fxt::Argument arguments[] = {
      {StringRef::Inline("a"), StringRef::Indexed(1)},
      {StringRef::Inline("b"), StringRef::Indexed(1)},
      {StringRef::Inline("c"), StringRef::Inline("the same inline, long enough")}};
  for (uint64_t time = 3000; time < 3010; ++time) Instant(file, time, "event", arguments);
  const std::string exported = Exported(file);
  EXPECT_EQ(CountOf(text, exported), 2U);
  EXPECT_EQ(CountOf("the same inline", exported), 10U);
}

TEST(PerfettoExportTest, NamesTheKernelThatDecidesTheStates) {
  fxt::testing::FileBuilder file;
  Record(file, false);
  EXPECT_NE(Exported(file).find("6.1.0"), std::string::npos);
}

// Perfetto ignores the waking of a runnable thread, and would show it runnable from the first
// wakeup on.
TEST(PerfettoExportTest, EndsTheWaitOfAThreadThatRanInLostTime) {
  const auto exported = [](bool again) {
    fxt::testing::FileBuilder file;
    Record(file, false);
    file.Add(fxt::ThreadWakeup{3000, 0, 9, {}});
    const fxt::Argument lost[] = {{StringRef::Inline(schema::argument::kCpu), int32_t{0}},
                                  {StringRef::Inline(schema::argument::kCategory),
                                   StringRef::Inline(schema::category::kSched)},
                                  {StringRef::Inline(schema::argument::kCount), uint64_t{5}}};
    Instant(file, 3100, schema::event::kLostEvents, lost);
    if (again) file.Add(fxt::ThreadWakeup{3200, 0, 9, {}});
    Switch(file, 3300, 7, 8);
    Switch(file, 3400, 8, 7);
    return Exported(file);
  };
  // Both switches of the visit name the thread that stands for the lost events.
  const auto count = [](const std::string& text) { return CountOf("(lost events)", text); };
  EXPECT_EQ(count(exported(true)), count(exported(false)) + 2);
}

// Kernel, include/linux/sched.h, and TASK_STATE_MAX of sched_switch before 4.14.
TEST(RawStatesTest, FollowTheRelease) {
  for (const char* release : {"4.14.0", "5.10.0-46-cloud-amd64", "6.18.44", "10.0"}) {
    const RawStates states(release);
    EXPECT_TRUE(states.is_current()) << release;
    EXPECT_EQ(states.Of(FXR_STATE_PREEMPTED), 0x100);
    EXPECT_EQ(states.Of(FXR_STATE_IDLE), 0x80);
    EXPECT_EQ(states.Of(FXR_STATE_UNINTERRUPTIBLE), 2);
  }
  for (const char* release : {"", "4.9.1", "Fuchsia", "4", "4.x"}) {
    const RawStates states(release);
    EXPECT_FALSE(states.is_current()) << release;
    EXPECT_EQ(states.Of(FXR_STATE_PREEMPTED), 0x800);
    EXPECT_EQ(states.Of(FXR_STATE_IDLE), 0x402);
  }
}

TEST(TaskNumbersTest, KeepTidsAndFitInto31Bits) {
  TaskNumbers numbers;
  EXPECT_EQ(numbers.Of(4194303), 4194303);
  EXPECT_EQ(numbers.Of(schema::IdleKoid(3)), 0);
  const int32_t large = numbers.Of(uint64_t{1} << 60);
  EXPECT_GE(large, 1 << 30);
  EXPECT_EQ(numbers.Of(uint64_t{1} << 60), large);
  EXPECT_NE(numbers.Of((uint64_t{1} << 60) + 1), large);
}

}  // namespace
}  // namespace exporting::perfetto
