// SPDX-License-Identifier: BSD-2-Clause
#include "session/journal.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string>
#include <vector>

namespace session {
namespace {

fxr_exit Exit(uint64_t time, uint32_t tid) {
  fxr_exit event{};
  event.header = {time, FXR_SIDE_EXIT, 0, 0, sizeof(event)};
  event.tid = tid;
  return event;
}

uint32_t TidOf(const fxr_side_header& event) {
  return reinterpret_cast<const fxr_exit&>(event).tid;
}

TEST(JournalTest, TakesTheOldestAndKeepsTheViewsContent) {
  Journal journal;
  EXPECT_EQ(journal.Front(), nullptr);
  // More than one chunk.
  constexpr uint32_t kEvents = 10'000;
  for (uint32_t i = 1; i <= kEvents; ++i) journal.Append(Exit(i, i).header);
  const size_t bytes = journal.bytes();
  EXPECT_GE(bytes, kEvents * sizeof(fxr_exit));
  Journal::View view = journal.Share();
  uint32_t taken = 0;
  journal.Take(9'000, [&](const fxr_side_header& event) { EXPECT_EQ(TidOf(event), ++taken); });
  EXPECT_EQ(taken, 9'000u);
  EXPECT_LT(journal.bytes(), bytes / 4);
  EXPECT_EQ(TidOf(*journal.Front()), 9'001u);
  journal.Append(Exit(kEvents + 1, kEvents + 1).header);
  uint32_t seen = 0;
  for (; view.Front() != nullptr; view.Pop()) EXPECT_EQ(TidOf(*view.Front()), ++seen);
  EXPECT_EQ(seen, kEvents);
}

TEST(JournalTest, HoldsItemsBesideEvents) {
  Journal journal;
  journal.AppendItem(kJournalLoss, 5, JournalLoss{{}, -1, 2, 7});
  journal.AppendMark(kJournalStopped, 6);
  int calls = 0;
  journal.Take(UINT64_MAX, [&](const fxr_side_header& event) {
    if (++calls == 2) {
      EXPECT_EQ(event.type, kJournalStopped);
      return;
    }
    EXPECT_EQ(event.time, 5u);
    EXPECT_EQ(reinterpret_cast<const JournalLoss&>(event).count, 7u);
  });
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(journal.Front(), nullptr);
}

TEST(JournalTest, HoldsALargeEvent) {
  Journal journal;
  std::vector<std::byte> bytes(100'000);
  auto& header = reinterpret_cast<fxr_side_header&>(*bytes.data());
  header = {1, FXR_SIDE_LONG, 0, 0, static_cast<fxr_u32>(bytes.size())};
  journal.Append(Exit(0, 1).header);
  journal.Append(header);
  journal.Append(Exit(2, 3).header);
  std::vector<uint32_t> sizes;
  journal.Take(9, [&](const fxr_side_header& event) { sizes.push_back(event.size); });
  EXPECT_EQ(sizes, (std::vector<uint32_t>{sizeof(fxr_exit), 100'000, sizeof(fxr_exit)}));
}

TEST(JournalTest, RestoresBranches) {
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

TEST(JournalTest, RestoresMappings) {
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

TEST(JournalTest, AppendsAKnownTaskAsForkAndRename) {
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
