// SPDX-License-Identifier: BSD-2-Clause
#include "tables/task_names.h"

#include <gtest/gtest.h>

#include "fxt/byte_source.h"
#include "fxt/reader.h"
#include "unit/measure/trace_script.h"

namespace tables {
namespace {

class TaskNamesTest : public ::testing::Test {
 protected:
  void Read(measure::testing::TraceScript& trace) {
    fxt::MemorySource source(trace.bytes());
    fxt::Reader reader(source);
    while (reader.Next() == fxt::ReadStatus::kRecord) names_.Note(reader);
  }
  const TaskNames::Process* ProcessAt(fxt::Koid koid) const {
    for (const TaskNames::Process& process : names_.processes()) {
      if (process.koid == koid) return &process;
    }
    return nullptr;
  }

  TextPool texts_;
  TaskNames names_{texts_};
};

TEST_F(TaskNamesTest, ThreadsSeenAgainAreSeenWithTheirProcess) {
  const uint32_t place = names_.NoteThread(8, 7, 100, false);
  EXPECT_TRUE(names_.NoteAgain(place, 200, false));
  EXPECT_TRUE(names_.NoteAgain(place, 300, false));
  names_.FinishTimes();
  EXPECT_EQ(names_.threads()[place].seen.first, 100);
  EXPECT_EQ(names_.threads()[place].seen.last, 300);
  ASSERT_NE(ProcessAt(7), nullptr);
  EXPECT_EQ(ProcessAt(7)->seen.first, 100);
  EXPECT_EQ(ProcessAt(7)->seen.last, 300);
}

TEST_F(TaskNamesTest, TimesCountForTheProcessThatTheThreadWasOfThen) {
  const uint32_t place = names_.NoteThread(8, 7, 100, false);
  EXPECT_TRUE(names_.NoteAgain(place, 200, false));
  measure::testing::TraceScript trace;
  trace.Thread(8, "other", 9);
  Read(trace);
  EXPECT_FALSE(names_.NoteAgain(place, 300, false)) << "of which process is it now?";
  names_.NoteThread(8, 7, 300, false);
  EXPECT_TRUE(names_.NoteAgain(place, 400, false));
  names_.FinishTimes();
  ASSERT_NE(ProcessAt(7), nullptr);
  ASSERT_NE(ProcessAt(9), nullptr);
  EXPECT_EQ(ProcessAt(7)->seen.last, 200);
  EXPECT_EQ(ProcessAt(9)->seen.first, 300);
  EXPECT_EQ(ProcessAt(9)->seen.last, 400);
}

TEST_F(TaskNamesTest, IdleThreadsAreNotSeenWithAProcess) {
  const uint32_t place = names_.NoteThread(8, 7, 100, true);
  EXPECT_FALSE(names_.NoteAgain(place, 200, false)) << "it was idle alone";
  EXPECT_TRUE(names_.NoteAgain(place, 200, true));
  names_.FinishTimes();
  EXPECT_EQ(names_.threads()[place].seen.last, 200);
  EXPECT_EQ(ProcessAt(7), nullptr);
}

TEST_F(TaskNamesTest, EarlierTimesAreNotTaken) {
  const uint32_t place = names_.NoteThread(8, 7, 100, false);
  EXPECT_FALSE(names_.NoteAgain(place, 50, false));
  EXPECT_FALSE(names_.NoteAgain(facts::KoidIndex::kNone, 200, false)) << "there was no room for it";
}

}  // namespace
}  // namespace tables
