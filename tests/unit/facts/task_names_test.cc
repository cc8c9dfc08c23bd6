// SPDX-License-Identifier: BSD-2-Clause
#include "facts/task_names.h"

#include <gtest/gtest.h>

#include <string>

#include "fxt/byte_source.h"
#include "fxt/reader.h"
#include "unit/measure/trace_script.h"

namespace facts {
namespace {

using fxt::StringRef;

fxt::Record Thread(fxt::Koid koid, std::string_view name) {
  return fxt::KernelObject{
      static_cast<uint8_t>(fxt::KernelObjectType::kThread), koid, StringRef::Inline(name), {}};
}
fxt::Record Process(fxt::Koid koid, std::string_view name) {
  return fxt::KernelObject{
      static_cast<uint8_t>(fxt::KernelObjectType::kProcess), koid, StringRef::Inline(name), {}};
}

TEST(TaskNamesTest, TheLastNameCounts) {
  facts::TaskNames names;
  EXPECT_TRUE(names.Note(Thread(7, "before")));
  EXPECT_TRUE(names.Note(Process(7, "process")));
  EXPECT_TRUE(names.Note(Thread(7, "a longer name than before")));
  EXPECT_EQ(names.thread_name(7), "a longer name than before");
  EXPECT_EQ(names.process_name(7), "process");
  EXPECT_EQ(names.thread(8), nullptr);
  EXPECT_EQ(names.thread_name(8), "");
  EXPECT_FALSE(names.Note(fxt::Record(fxt::Initialization{1})));
}

TEST(TaskNamesTest, ANameOfTheKernelCounts) {
  facts::TaskNames names;
  names.Note(Thread(7, "first"), false);
  names.Note(Thread(7, "second"), false);
  EXPECT_EQ(names.thread_name(7), "second");
  names.Note(Thread(7, "kernel's"));
  names.Note(Thread(7, "third"), false);
  EXPECT_EQ(names.thread_name(7), "kernel's");
}

TEST(TaskNamesTest, KeepsTheProcessOfAThread) {
  const fxt::Argument process{StringRef::Inline("process"), fxt::KoidValue{5}};
  facts::TaskNames names;
  names.Note(fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kThread),
                               6,
                               StringRef::Inline("t"),
                               {&process, 1}});
  ASSERT_NE(names.thread(6), nullptr);
  EXPECT_EQ(names.thread(6)->process, 5u);
  EXPECT_EQ(names.process(5), nullptr) << "it has no record of its own";
  EXPECT_EQ(names.CountProcesses(), 0u);
  names.Note(Process(5, "p"));
  EXPECT_NE(names.process(5), nullptr);
  EXPECT_EQ(names.CountProcesses(), 1u);
}

TEST(TaskNamesTest, StaysWithinItsLimit) {
  facts::TaskNames names(size_t{1} << 20);
  const auto name_of = [](fxt::Koid koid) { return std::string(1000, 'n') + std::to_string(koid); };
  for (fxt::Koid koid = 1; koid <= 5000; ++koid) names.Note(Thread(koid, name_of(koid)));
  EXPECT_LT(names.threads().size(), 1000u);
  EXPECT_GT(names.threads().size(), 700u);
  EXPECT_TRUE(names.is_full());
  EXPECT_EQ(names.thread_name(1), name_of(1));
  EXPECT_EQ(names.thread_name(5000), "");
  // Names that are there cost nothing; others find no room.
  names.Note(Thread(1, name_of(2)));
  EXPECT_EQ(names.thread_name(1), name_of(2));
  names.Note(Thread(1, std::string(32'000, 'x')));
  EXPECT_EQ(names.thread_name(1), "");
}

class TaskTimesTest : public ::testing::Test {
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

TEST_F(TaskTimesTest, ThreadsSeenAgainAreSeenWithTheirProcess) {
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

TEST_F(TaskTimesTest, TimesCountForTheProcessThatTheThreadWasOfThen) {
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

TEST_F(TaskTimesTest, IdleThreadsAreNotSeenWithAProcess) {
  const uint32_t place = names_.NoteThread(8, 7, 100, true);
  EXPECT_FALSE(names_.NoteAgain(place, 200, false)) << "it was idle alone";
  EXPECT_TRUE(names_.NoteAgain(place, 200, true));
  names_.FinishTimes();
  EXPECT_EQ(names_.threads()[place].seen.last, 200);
  EXPECT_EQ(ProcessAt(7), nullptr);
}

TEST_F(TaskTimesTest, EarlierTimesAreNotTaken) {
  const uint32_t place = names_.NoteThread(8, 7, 100, false);
  EXPECT_FALSE(names_.NoteAgain(place, 50, false));
  EXPECT_FALSE(names_.NoteAgain(KoidIndex::kNone, 200, false)) << "there was no room for it";
}

}  // namespace
}  // namespace facts
