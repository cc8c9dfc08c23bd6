// SPDX-License-Identifier: BSD-2-Clause
#include "schema/linux_state.h"

#include <gtest/gtest.h>

#include <string_view>

namespace schema {
namespace {

constexpr fxr_task_state kAll[] = {
    FXR_STATE_RUNNABLE, FXR_STATE_INTERRUPTIBLE, FXR_STATE_UNINTERRUPTIBLE, FXR_STATE_STOPPED,
    FXR_STATE_TRACED,   FXR_STATE_DEAD,          FXR_STATE_ZOMBIE,          FXR_STATE_PARKED,
    FXR_STATE_IDLE,     FXR_STATE_PREEMPTED,     FXR_STATE_WOKEN,           FXR_STATE_THROTTLED,
};

TEST(LinuxStateTest, LettersMapToStatesAndBack) {
  for (const fxr_task_state state : kAll) {
    EXPECT_EQ(StateOfLetters(StateLetters(state)), state) << StateLetters(state);
    EXPECT_EQ(ThreadStateOf(static_cast<unsigned>(state)), ThreadStateOf(state)) << state;
  }
  EXPECT_FALSE(StateOfLetters("").has_value());
  EXPECT_FALSE(StateOfLetters("Q").has_value());
}

// A reader's interpretation of a stream of states, by the rule of docs and of EmittedStates.
class Assuming {
 public:
  void Hear(fxr_task_state state) { last_[static_cast<size_t>(ThreadStateOf(state))] = state; }
  fxr_task_state Assume(fxr_task_state state) const {
    return last_[static_cast<size_t>(ThreadStateOf(state))];
  }

 private:
  // By the format's state: new, running, suspended, blocked, dying, dead.
  fxr_task_state last_[6] = {FXR_STATE_PREEMPTED,     FXR_STATE_RUNNABLE, FXR_STATE_STOPPED,
                             FXR_STATE_INTERRUPTIBLE, FXR_STATE_ZOMBIE,   FXR_STATE_DEAD};
};

TEST(EmittedStatesTest, UsualStatesAreNotEmitted) {
  for (const fxr_task_state state : {FXR_STATE_PREEMPTED, FXR_STATE_STOPPED,
                                     FXR_STATE_INTERRUPTIBLE, FXR_STATE_ZOMBIE, FXR_STATE_DEAD}) {
    EmittedStates emitted;
    EXPECT_TRUE(emitted.IsEmitted(state)) << state;
    EXPECT_FALSE(emitted.Emit(state)) << state;
  }
}

TEST(EmittedStatesTest, EmitsAStateThatDiffersFromTheLast) {
  EmittedStates emitted;
  EXPECT_TRUE(emitted.Emit(FXR_STATE_UNINTERRUPTIBLE));
  EXPECT_FALSE(emitted.Emit(FXR_STATE_UNINTERRUPTIBLE));
  EXPECT_FALSE(emitted.Emit(FXR_STATE_PREEMPTED)) << "another of the format's states";
  EXPECT_TRUE(emitted.Emit(FXR_STATE_INTERRUPTIBLE));
  EXPECT_TRUE(emitted.Emit(FXR_STATE_UNINTERRUPTIBLE));
}

TEST(EmittedStatesTest, EmitsAnyStateAfterForget) {
  for (const fxr_task_state state : kAll) {
    EmittedStates emitted;
    emitted.Forget();
    EXPECT_FALSE(emitted.IsEmitted(state)) << state;
    EXPECT_TRUE(emitted.Emit(state)) << state;
    EXPECT_FALSE(emitted.Emit(state)) << state;
  }
}

TEST(EmittedStatesTest, ReaderIsCorrectAfterAnySequence) {
  uint32_t random = 1;
  EmittedStates emitted;
  Assuming reader;
  for (int i = 0; i < 10'000; ++i) {
    random = random * 1664525 + 1013904223;
    const fxr_task_state state = kAll[(random >> 16) % std::size(kAll)];
    if (emitted.Emit(state)) reader.Hear(state);
    ASSERT_EQ(reader.Assume(state), state) << i;
  }
}

}  // namespace
}  // namespace schema
