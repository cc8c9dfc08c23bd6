// SPDX-License-Identifier: BSD-2-Clause
#include "capture/rings/head_notes.h"

#include <gtest/gtest.h>

#include <vector>

namespace capture {
namespace {

TEST(HeadNotesTest, ASlotIsNearTheFirstNoteThatHasIt) {
  HeadNotes notes;
  EXPECT_TRUE(notes.IsDue(1));
  notes.Add({1'000, {0, 5}});
  EXPECT_FALSE(notes.IsDue(2'000));
  EXPECT_TRUE(notes.IsDue(1'000 + HeadNotes::kInterval));
  notes.Add({2'000, {3, 5}});
  notes.Add({3'000, {9, 8}});
  EXPECT_EQ(notes.Near(0, 2, 9'000), 2'000u);
  EXPECT_EQ(notes.Near(0, 3, 9'000), 3'000u);
  EXPECT_EQ(notes.Near(0, 9, 9'000), 9'000u);
  EXPECT_EQ(notes.Near(1, 4, 9'000), 1'000u);
}

TEST(HeadNotesTest, WhatTellsOfNoSlotIsForgotten) {
  HeadNotes notes;
  for (uint64_t i = 1; i <= 4; ++i) notes.Add({i, {i, 10 * i}});
  notes.Prune(std::vector<uint64_t>{2, 15});
  ASSERT_EQ(notes.notes().size(), 3u);
  EXPECT_EQ(notes.notes().front().time, 2u) << "ring 1 has slots between 15 and 20";
  notes.Prune(std::vector<uint64_t>{100, 100});
  EXPECT_EQ(notes.notes().size(), 1u) << "the last one says when the next is due";
}

}  // namespace
}  // namespace capture
