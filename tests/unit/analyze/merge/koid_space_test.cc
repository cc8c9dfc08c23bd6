// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/merge/koid_space.h"

#include <gtest/gtest.h>

#include "schema/koid.h"

namespace analyze {
namespace {

TraceFacts Tasks(std::initializer_list<std::pair<const fxt::Koid, fxt::Koid>> threads) {
  TraceFacts facts;
  facts.threads = threads;
  for (const auto& [thread, process] : threads) facts.processes.insert(process);
  return facts;
}

TEST(KoidSpaceTest, MergesThreadsOfTheSameProcess) {
  KoidSpace space;
  space.Add(Tasks({{5, 4}, {6, 4}}), false, 0);
  const KoidMap map = space.Add(Tasks({{5, 4}, {7, 4}}), false, 0);
  EXPECT_EQ(map.same_threads, 1u);
  EXPECT_EQ(map.Thread(5), 5u);
  EXPECT_EQ(map.Thread(7), 7u);
}

TEST(KoidSpaceTest, RenumbersThreadsOfOtherProcesses) {
  KoidSpace space;
  space.Add(Tasks({{5, 4}}), false, 0);
  const KoidMap map = space.Add(Tasks({{5, 9}}), false, 0);
  EXPECT_EQ(map.same_threads, 0u);
  EXPECT_EQ(map.Thread(5), schema::MakeKoid(5, 1));
  EXPECT_EQ(map.Process(9), 9u);
  // The third thread of that number.
  EXPECT_EQ(space.Add(Tasks({{5, 11}}), false, 0).Thread(5), schema::MakeKoid(5, 2));
}

TEST(KoidSpaceTest, SharesNothingWhenApart) {
  KoidSpace space;
  space.Add(Tasks({{4, 4}, {5, 4}}), false, 0);
  const KoidMap map = space.Add(Tasks({{4, 4}, {5, 4}, {8, 8}}), true, 0);
  EXPECT_EQ(map.Process(4), schema::MakeKoid(4, 1));
  EXPECT_EQ(map.Thread(4), schema::MakeKoid(4, 1));
  EXPECT_EQ(map.Thread(5), schema::MakeKoid(5, 1));
  EXPECT_EQ(map.Thread(8), 8u);
}

TEST(KoidSpaceTest, ShiftsTracksOfCpus) {
  KoidSpace space;
  space.Add(Tasks({{schema::IdleKoid(0), 0}}), false, 0);
  const KoidMap map = space.Add(Tasks({{schema::IdleKoid(0), 0}}), true, 8);
  EXPECT_EQ(map.Thread(schema::IdleKoid(0)), schema::IdleKoid(8));
  EXPECT_EQ(map.Process(0), 0u);
}

}  // namespace
}  // namespace analyze
