// SPDX-License-Identifier: BSD-2-Clause
// An exec by a thread that is not the leader of its process: it goes on under the leader's id.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/analyze/check/broken_recordings.h"

namespace analyze {
namespace {

using fxt::Argument;
using fxt::StringRef;
using fxt::ThreadRef;
using fxt::ThreadState;
using testing::FindingsOf;
using testing::InstantOf;
using testing::kAppRef;
using testing::kEnd;
using testing::kIdle0Ref;
using testing::kWorkerRef;
using testing::RecordingParts;
using testing::SwitchAtEnd;

// The leader's last switch, then one of the other thread to show it running, and one of the leader
// that it has become.
void AddTakeOver(RecordingParts& file, ThreadState leader_ends_as) {
  file.Add("leader comes", SwitchAtEnd(kIdle0Ref, 0, kAppRef, 120));
  file.Add("leader goes", SwitchAtEnd(kAppRef, 120, kWorkerRef, 120, leader_ends_as));
  file.Add("leader again", SwitchAtEnd(kAppRef, 120, kIdle0Ref, 0, ThreadState::kBlocked));
}

TEST(TakeOverTest, AThreadThatTakesOverItsLeaderIsNoGap) {
  RecordingParts file = RecordingParts::Sound();
  AddTakeOver(file, ThreadState::kDying);
  EXPECT_EQ(FindingsOf(file), std::vector<std::string>{});
}

// The leader is still on its way out when its id goes over, and leaves by the other thread's.
TEST(TakeOverTest, ALeaderMayLeaveByTheIdOfWhoTookItOver) {
  RecordingParts file = RecordingParts::Sound();
  AddTakeOver(file, ThreadState::kBlocked);
  file.Add("leader once more", SwitchAtEnd(kIdle0Ref, 0, kAppRef, 120));
  RecordingParts lives = file;
  file.Add("leader ends", SwitchAtEnd(kWorkerRef, 120, kIdle0Ref, 0, ThreadState::kDead));
  EXPECT_EQ(FindingsOf(file), std::vector<std::string>{});
  lives.Add("no end", SwitchAtEnd(kWorkerRef, 120, kIdle0Ref, 0, ThreadState::kBlocked));
  EXPECT_EQ(FindingsOf(lives), (std::vector<std::string>{"recorder-continuity at no end",
                                                         "recorder-continuity at leader again"}));
}

TEST(TakeOverTest, ALeaderThatLivesIsNotTakenOver) {
  RecordingParts file = RecordingParts::Sound();
  AddTakeOver(file, ThreadState::kBlocked);
  EXPECT_EQ(FindingsOf(file), std::vector<std::string>{"recorder-continuity at leader again"});
}

TEST(TakeOverTest, ALeaderMayHaveEndedInAGap) {
  RecordingParts file = RecordingParts::Sound();
  AddTakeOver(file, ThreadState::kBlocked);
  const Argument other_cpu{StringRef::Inline("cpu"), int32_t{1}};
  file.Before("leader again", "gap",
              InstantOf(kEnd, kAppRef, "fxt-record", "unseen_switch", {&other_cpu, 1}));
  EXPECT_EQ(FindingsOf(file), std::vector<std::string>{});
}

TEST(TakeOverTest, ALeaderMayHaveEndedInAGapThatIsDeclaredLater) {
  RecordingParts file = RecordingParts::Sound();
  AddTakeOver(file, ThreadState::kBlocked);
  const Argument other_cpu{StringRef::Inline("cpu"), int32_t{1}};
  const auto gap = InstantOf(kEnd, kAppRef, "fxt-record", "unseen_switch", {&other_cpu, 1});
  RecordingParts declared = file;
  declared.Add("gap", gap);
  EXPECT_EQ(FindingsOf(declared), std::vector<std::string>{});
  // Not when it begins behind the exec.
  file.Add("switch behind",
           fxt::LegacyContextSwitch{kEnd, 1, ThreadState::kNew,
                                    ThreadRef::Inline(0, testing::kIdle1), kWorkerRef, 0, 120});
  file.Add("gap", gap);
  EXPECT_EQ(FindingsOf(file), std::vector<std::string>{"recorder-continuity at leader again"});
}

TEST(TakeOverTest, OnlyTheLeaderIsTakenOver) {
  RecordingParts file = RecordingParts::Sound();
  file.Add("worker comes", SwitchAtEnd(kIdle0Ref, 0, kWorkerRef, 120));
  file.Add("worker ends", SwitchAtEnd(kWorkerRef, 120, kAppRef, 120, ThreadState::kDying));
  file.Add("worker again", SwitchAtEnd(kWorkerRef, 120, kIdle0Ref, 0, ThreadState::kBlocked));
  EXPECT_EQ(FindingsOf(file), std::vector<std::string>{"recorder-continuity at worker again"});
}

}  // namespace
}  // namespace analyze
