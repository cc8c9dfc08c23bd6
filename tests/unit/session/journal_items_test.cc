// SPDX-License-Identifier: BSD-2-Clause
#include "session/journal_items.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string>

namespace session {
namespace {

TEST(JournalItemsTest, BranchesComeOutAsTheyWere) {
  perf::BranchStackSample sample;
  sample.time = 1234;
  sample.cpu = 3;
  sample.pid = 10;
  sample.tid = 11;
  sample.period = 99;
  sample.event = "cycles";
  sample.entries = {{1, 2, 3}, {4, 5, 6}};
  sample.counters = {7, 8};
  perf::BranchStackSample bare;
  bare.time = 1235;
  bare.ip = 5;
  Journal journal;
  AppendBranches(sample, journal);
  AppendBranches(bare, journal);
  Journal::View view = journal.Share();
  ASSERT_NE(view.Front(), nullptr);
  EXPECT_EQ(view.Front()->type, kJournalBranches);
  EXPECT_EQ(ReadBranches(*view.Front()), sample);
  view.Pop();
  ASSERT_NE(view.Front(), nullptr);
  EXPECT_EQ(ReadBranches(*view.Front()), bare);
}

TEST(JournalItemsTest, MappingsComeOutAsTheyWere) {
  const std::string file(4000, 'f');
  Journal journal;
  AppendMapping(77, 5,
                {.start = 0x1000,
                 .size = 0x2000,
                 .file_offset = 0x3000,
                 .file = file,
                 .build_id = {std::byte{1}, std::byte{2}}},
                journal);
  const fxr_side_header* event = journal.Front();
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(event->type, kJournalMapping);
  EXPECT_EQ(event->time, 77u);
  const perf::MmapRecord record = ReadMapping(*event);
  EXPECT_EQ(record.pid, 5u);
  EXPECT_EQ(record.address, 0x1000u);
  EXPECT_EQ(record.size, 0x2000u);
  EXPECT_EQ(record.file_offset, 0x3000u);
  EXPECT_EQ(record.protection, static_cast<uint32_t>(PROT_READ | PROT_EXEC));
  EXPECT_EQ(record.file, file);
  EXPECT_EQ(record.build_id.ToHex(), "0102");
  EXPECT_FALSE(record.kernel);
}

TEST(JournalItemsTest, AKnownTaskIsAForkAndARenameThatNameItAlone) {
  fxr_task task{};
  task.tid = 6;
  task.tgid = 5;
  task.uid = 7;
  std::string("worker").copy(task.comm, sizeof(task.comm) - 1);
  Journal journal;
  const fxr_side_header& kept = AppendKnownTask(9, task, journal);
  EXPECT_EQ(&kept, journal.Front());
  Journal::View view = journal.Share();
  EXPECT_EQ(view.Front()->type, FXR_SIDE_FORK);
  EXPECT_EQ(view.Front()->flags, FXR_SIDE_NAMES_ONLY);
  view.Pop();
  ASSERT_EQ(view.Front()->type, FXR_SIDE_RENAME);
  const auto& rename = reinterpret_cast<const fxr_rename&>(*view.Front());
  EXPECT_EQ(rename.header.time, 9u);
  EXPECT_EQ(rename.header.flags, FXR_SIDE_NAMES_ONLY);
  EXPECT_EQ(rename.tid, 6u);
  EXPECT_STREQ(rename.comm, "worker");
}

}  // namespace
}  // namespace session
