// SPDX-License-Identifier: BSD-2-Clause
#include "session/journal.h"

#include <gtest/gtest.h>

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

TEST(JournalTest, TheOldestAreTakenAndAViewKeepsWhatItHas) {
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

TEST(JournalTest, ItemsOfItsOwn) {
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

TEST(JournalTest, ALargeEventHasRoom) {
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

}  // namespace
}  // namespace session
