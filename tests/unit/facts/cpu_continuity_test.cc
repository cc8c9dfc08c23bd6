// SPDX-License-Identifier: BSD-2-Clause
#include "facts/cpu_continuity.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "schema/names.h"

namespace facts {
namespace {

using Verdict = CpuContinuity::Verdict;
using fxt::ThreadState;

constexpr fxt::Koid kLeader = 100;
constexpr fxt::Koid kThread = 101;
constexpr fxt::Koid kOther = 500;

Switch From(fxt::Koid left, fxt::Koid came, uint32_t cpu = 0,
            ThreadState state = ThreadState::kBlocked) {
  Switch record;
  record.cpu = cpu;
  record.outgoing_state = state;
  record.outgoing.thread = left;
  record.incoming.thread = came;
  return record;
}

class CpuContinuityTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const fxt::Koid thread : {kLeader, kThread}) {
      const fxt::Argument process{fxt::StringRef::Inline("process"), fxt::KoidValue{kLeader}};
      names_.Note(fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kThread),
                                    thread,
                                    fxt::StringRef::Inline("t"),
                                    {&process, 1}});
    }
  }
  void Note(const Switch& record) { continuity_.Note(record, offset_ += 8); }

  TaskNames names_;
  CpuContinuity continuity_{names_};
  uint64_t offset_ = 0;
};

TEST_F(CpuContinuityTest, TheOutgoingThreadIsThePreviousIncomingOne) {
  EXPECT_EQ(continuity_.Judge(From(kOther, kThread)), Verdict::kFits) << "no switch came before";
  Note(From(kOther, kThread));
  EXPECT_EQ(continuity_.Running(0), kThread);
  EXPECT_EQ(continuity_.CpuOf(kThread), 0u);
  EXPECT_EQ(continuity_.CpuOf(kOther), std::nullopt);
  EXPECT_EQ(continuity_.Judge(From(kThread, kOther)), Verdict::kFits);
  EXPECT_EQ(continuity_.Judge(From(kOther, kThread)), Verdict::kBroken);
  EXPECT_EQ(continuity_.Judge(From(kOther, kThread, 1)), Verdict::kFits) << "another CPU";
}

TEST_F(CpuContinuityTest, AGapExplainsOneSwitchOfItsCpu) {
  Note(From(kOther, kThread));
  Note(From(kOther, kThread, 1));
  continuity_.DeclareGap(0, offset_ += 8);
  EXPECT_EQ(continuity_.Judge(From(kOther, kThread)), Verdict::kFits);
  EXPECT_EQ(continuity_.Judge(From(kOther, kThread, 1)), Verdict::kBroken);
  Note(From(kOther, kThread));
  EXPECT_EQ(continuity_.Judge(From(kOther, kThread)), Verdict::kBroken);
  continuity_.DeclareGap(-1, offset_ += 8);
  EXPECT_EQ(continuity_.Judge(From(kOther, kThread)), Verdict::kFits);
  EXPECT_EQ(continuity_.Judge(From(kOther, kThread, 1)), Verdict::kFits);
}

TEST_F(CpuContinuityTest, AfterALossTheRunningThreadIsKnown) {
  Note(From(kOther, kThread));
  continuity_.DeclareGap(-1, offset_ += 8);
  EXPECT_EQ(continuity_.CpuOf(kThread), 0u);
  continuity_.DeclareDamage(offset_ += 8);
  EXPECT_EQ(continuity_.CpuOf(kThread), std::nullopt);
  EXPECT_EQ(continuity_.Judge(From(kOther, kThread)), Verdict::kFits);
}

TEST_F(CpuContinuityTest, ExecTakesTheLeadersPlace) {
  Note(From(kLeader, kOther, 1, ThreadState::kDead));
  Note(From(kOther, kThread));
  EXPECT_EQ(continuity_.Judge(From(kLeader, kOther)), Verdict::kFits) << "the leader has ended";
  EXPECT_EQ(continuity_.Judge(From(kThread, kOther)), Verdict::kFits);
}

TEST_F(CpuContinuityTest, ATakeOverIsExplainedByTheEndThatComesLater) {
  Note(From(kLeader, kOther, 1));
  Note(From(kOther, kThread));
  EXPECT_EQ(continuity_.Judge(From(kLeader, kOther)), Verdict::kTakeOver);
  Note(From(kLeader, kOther));
  ASSERT_EQ(continuity_.take_overs().size(), 1u);
  EXPECT_EQ(continuity_.take_overs()[0].before, kThread);
  EXPECT_EQ(continuity_.take_overs()[0].after, kLeader);
  // The leader leaves under the id of the thread that took its place.
  Note(From(kOther, kThread, 1));
  Note(From(kThread, kOther, 1, ThreadState::kDead));
  EXPECT_TRUE(continuity_.take_overs().empty());
}

TEST_F(CpuContinuityTest, ATakeOverIsExplainedByAGapDeclaredLater) {
  Note(From(kLeader, kOther, 1));
  Note(From(kOther, kThread));
  Note(From(kLeader, kOther));
  ASSERT_EQ(continuity_.take_overs().size(), 1u);
  continuity_.DeclareGap(-1, offset_ += 8);
  EXPECT_TRUE(continuity_.take_overs().empty());
}

fxt::Event Instant(std::string_view name, std::span<const fxt::Argument> arguments) {
  fxt::Event event;
  event.type = fxt::EventType::kInstant;
  event.category = fxt::StringRef::Inline(schema::kRecorderName);
  event.name = fxt::StringRef::Inline(name);
  event.arguments = arguments;
  return event;
}

TEST_F(CpuContinuityTest, InstantsOfTheRecorderExplainAMissingSwitch) {
  const std::array cpu = {
      fxt::Argument{fxt::StringRef::Inline(schema::argument::kCpu), int32_t{0}}};
  for (const auto name : {schema::event::kLostEvents, schema::event::kUnseenSwitch}) {
    Note(From(kOther, kThread));
    Note(From(kOther, kThread, 1));
    continuity_.Note(Instant(name, cpu), offset_ += 8);
    EXPECT_EQ(continuity_.Judge(From(kOther, kThread)), Verdict::kFits) << name;
    EXPECT_EQ(continuity_.Judge(From(kOther, kThread, 1)), Verdict::kBroken) << name;
  }
}

TEST_F(CpuContinuityTest, NothingIsExpectedInAFilteredRecording) {
  Note(From(kOther, kThread));
  continuity_.Note(Instant(schema::event::kSession, {}), offset_ += 8);
  EXPECT_TRUE(continuity_.expects()) << "no filters";
  EXPECT_EQ(continuity_.CpuOf(kThread), 0u);
  const std::array filters = {fxt::Argument{fxt::StringRef::Inline(schema::argument::kFilters),
                                            fxt::StringRef::Inline("pid 1")}};
  continuity_.Note(Instant(schema::event::kSession, filters), offset_ += 8);
  EXPECT_FALSE(continuity_.expects());
  EXPECT_EQ(continuity_.Judge(From(kOther, kThread)), Verdict::kFits);
  EXPECT_EQ(continuity_.CpuOf(kThread), std::nullopt);
}

}  // namespace
}  // namespace facts
