// SPDX-License-Identifier: BSD-2-Clause
#include "facts/linux_state_tracker.h"

#include <gtest/gtest.h>

namespace facts {
namespace {

using fxt::StringRef;
using fxt::ThreadState;

struct StateInstant {
  fxt::Argument argument;
  fxt::Event event;
  StateInstant(fxt::Koid thread, std::string_view letters)
      : argument{StringRef::Indexed(1, "state"), StringRef::Indexed(2, letters)} {
    event.thread = fxt::ThreadRef::Indexed(1, 10, thread);
    event.category = StringRef::Indexed(3, "sched");
    event.name = StringRef::Indexed(4, "linux_state");
    event.arguments = {&argument, 1};
  }
};

TEST(LinuxStateTrackerTest, AssumesTheUsualState) {
  const facts::LinuxStateTracker tracker;
  EXPECT_EQ(tracker.Letters(1, ThreadState::kNew), "R+");
  EXPECT_EQ(tracker.Letters(1, ThreadState::kBlocked), "S");
  EXPECT_EQ(tracker.Letters(1, ThreadState::kSuspended), "T");
  EXPECT_EQ(tracker.Letters(1, ThreadState::kDying), "Z");
  EXPECT_EQ(tracker.Letters(1, ThreadState::kDead), "X");
  EXPECT_EQ(tracker.Letters(1, ThreadState::kRunning), "?");
  EXPECT_EQ(tracker.Letters(1, static_cast<ThreadState>(9)), "?");
}

TEST(LinuxStateTrackerTest, KeepsTheStatePerThreadAndThreadState) {
  facts::LinuxStateTracker tracker;
  EXPECT_TRUE(tracker.Note(fxt::Record(StateInstant(1, "D").event)));
  EXPECT_TRUE(tracker.Note(StateInstant(2, "R").event));
  EXPECT_EQ(tracker.Letters(1, ThreadState::kBlocked), "D");
  EXPECT_EQ(tracker.Letters(1, ThreadState::kNew), "R+");
  EXPECT_EQ(tracker.Letters(2, ThreadState::kBlocked), "S");
  EXPECT_EQ(tracker.Letters(2, ThreadState::kNew), "R");
  // Until another state is recorded.
  EXPECT_TRUE(tracker.Note(StateInstant(1, "I").event));
  EXPECT_EQ(tracker.Letters(1, ThreadState::kBlocked), "I");
  EXPECT_TRUE(tracker.Note(StateInstant(1, "S").event));
  EXPECT_EQ(tracker.Letters(1, ThreadState::kBlocked), "S");
}

TEST(LinuxStateTrackerTest, OnlyTheAgreedInstantCounts) {
  facts::LinuxStateTracker tracker;
  StateInstant other_category(1, "D");
  other_category.event.category = StringRef::Indexed(3, "app");
  EXPECT_FALSE(tracker.Note(other_category.event));
  StateInstant other_name(1, "D");
  other_name.event.name = StringRef::Indexed(4, "state");
  EXPECT_FALSE(tracker.Note(other_name.event));
  StateInstant other_type(1, "D");
  other_type.event.type = fxt::EventType::kCounter;
  EXPECT_FALSE(tracker.Note(other_type.event));
  StateInstant other_value(1, "D");
  other_value.argument.value = int32_t{2};
  EXPECT_FALSE(tracker.Note(other_value.event));
  EXPECT_FALSE(tracker.Note(StateInstant(1, "Q").event));
  EXPECT_FALSE(tracker.Note(fxt::Record(fxt::MagicNumber{})));
  EXPECT_EQ(tracker.Letters(1, ThreadState::kBlocked), "S");
}

TEST(LinuxStateTrackerTest, EveryLetterHasItsThreadState) {
  EXPECT_EQ(facts::LinuxStateTracker::StateOf("R"), ThreadState::kNew);
  EXPECT_EQ(facts::LinuxStateTracker::StateOf("R+"), ThreadState::kNew);
  for (const char* blocked : {"S", "D", "I", "P", "W"}) {
    EXPECT_EQ(facts::LinuxStateTracker::StateOf(blocked), ThreadState::kBlocked);
  }
  for (const char* suspended : {"T", "t"}) {
    EXPECT_EQ(facts::LinuxStateTracker::StateOf(suspended), ThreadState::kSuspended);
  }
  EXPECT_EQ(facts::LinuxStateTracker::StateOf("Z"), ThreadState::kDying);
  EXPECT_EQ(facts::LinuxStateTracker::StateOf("X"), ThreadState::kDead);
  EXPECT_EQ(facts::LinuxStateTracker::StateOf("?"), ThreadState::kRunning);
}

}  // namespace
}  // namespace facts
