// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/cpu_tracker.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "fxt/byte_source.h"
#include "schema/koid.h"
#include "schema/names.h"
#include "unit/analyze/recording_parts.h"

namespace facts {
namespace {

using analyze::testing::RecordingParts;
using fxt::StringRef;
using fxt::ThreadRef;
using Cpus = std::vector<std::optional<uint32_t>>;

class CpuTrackerTest : public ::testing::Test {
 protected:
  explicit CpuTrackerTest(std::string_view provider = schema::kRecorderName) {
    file_.Add("", fxt::MagicNumber{}).Add("", fxt::ProviderInfo{1, provider});
    file_.Add("", fxt::ProviderSection{1}).Add("", fxt::Initialization{1'000'000'000});
  }
  void Switch(uint64_t time, uint8_t cpu, fxt::Koid out, fxt::Koid in) {
    file_.Add("", fxt::LegacyContextSwitch{time, cpu, fxt::ThreadState::kBlocked,
                                           ThreadRef::Inline(out == 0 ? 0 : 1, out),
                                           ThreadRef::Inline(in == 0 ? 0 : 1, in),
                                           static_cast<uint8_t>(out == 0 ? 0 : 120),
                                           static_cast<uint8_t>(in == 0 ? 0 : 120)});
  }
  void Instant(uint64_t time, fxt::Koid thread, std::span<const fxt::Argument> arguments = {},
               std::string_view category = "app", std::string_view name = "mark") {
    file_.Add("", fxt::Event{fxt::EventType::kInstant, time, ThreadRef::Inline(1, thread),
                             StringRef::Inline(category), StringRef::Inline(name), arguments, 0});
  }
  void Lose(uint64_t time, int32_t cpu) {
    const fxt::Argument arguments[] = {{StringRef::Inline("cpu"), cpu},
                                       {StringRef::Inline("count"), uint64_t{5}},
                                       {StringRef::Inline("category"), StringRef::Inline("sched")}};
    Instant(time, schema::RecorderKoid(), arguments, schema::kRecorderName,
            schema::event::kLostEvents);
  }
  // The CPU of each instant of category "app".
  Cpus CpusOfInstants() {
    fxt::MemorySource source(file_.Bytes());
    fxt::Reader reader(source);
    CpuTracker tracker;
    Cpus cpus;
    while (reader.Next() == fxt::ReadStatus::kRecord) {
      const auto* event = std::get_if<fxt::Event>(&reader.record());
      if (event && event->category.text == "app") cpus.push_back(tracker.CpuOf(reader));
      tracker.Note(reader);
    }
    EXPECT_EQ(reader.status(), fxt::ReadStatus::kEnd);
    return cpus;
  }

  RecordingParts file_;
};

TEST_F(CpuTrackerTest, AnEventIsOnTheCpuOfItsThread) {
  Instant(1, 7);
  Switch(5, 2, 0, 7);
  Instant(6, 7);
  Switch(10, 2, 7, 0);
  Instant(11, 7);
  Switch(20, 3, 0, 7);
  Instant(21, 7);
  EXPECT_EQ(CpusOfInstants(), (Cpus{std::nullopt, 2, std::nullopt, 3}));
}

// Behind a loss the running thread is unknown.
TEST_F(CpuTrackerTest, ALossOfSwitchesLeavesItOpen) {
  Switch(5, 2, 0, 7);
  Switch(5, 3, 0, 8);
  Lose(10, 2);
  Instant(11, 7);
  Instant(11, 8);
  Switch(20, 2, 7, 9);
  Instant(21, 9);
  EXPECT_EQ(CpusOfInstants(), (Cpus{std::nullopt, 3, 2}));
}

TEST_F(CpuTrackerTest, AnArgumentTakesPrecedenceOverTheThread) {
  const auto with = [&](const fxt::ArgumentValue& value) {
    const fxt::Argument argument{StringRef::Inline("cpu"), value};
    Instant(6, 7, {&argument, 1});
  };
  Switch(5, 2, 0, 7);
  with(int32_t{5});
  with(uint64_t{UINT32_MAX});
  // No CPU has such a number: the thread's is the better guess.
  with(int32_t{-1});
  with(uint64_t{1} << 40);
  with(StringRef::Inline("5"));
  EXPECT_EQ(CpusOfInstants(), (Cpus{5, UINT32_MAX, 2, 2, 2}));
}

TEST_F(CpuTrackerTest, TracksOfTheRecorderAreTheirCpus) {
  for (const fxt::Koid koid : {schema::IrqKoid(3), schema::SoftirqKoid(4), schema::IdleKoid(300)}) {
    Instant(6, koid);
  }
  Instant(6, schema::RecorderKoid());
  EXPECT_EQ(CpusOfInstants(), (Cpus{3, 4, 300, std::nullopt}));
}

class CpuTrackerOfAnotherTest : public CpuTrackerTest {
 protected:
  CpuTrackerOfAnotherTest() : CpuTrackerTest("other") {}
};

// Their threads may have any number.
TEST_F(CpuTrackerOfAnotherTest, OtherProvidersHaveNoSuchTracks) {
  Instant(6, schema::IrqKoid(3));
  EXPECT_EQ(CpusOfInstants(), (Cpus{std::nullopt}));
}

}  // namespace
}  // namespace facts
