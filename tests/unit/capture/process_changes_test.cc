// SPDX-License-Identifier: BSD-2-Clause
#include "capture/process_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capture {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

template <typename Body>
perf::Record Of(Body body) {
  perf::Record record;
  record.body = body;
  return record;
}

perf::Record Mapping(uint32_t pid, bool kernel) {
  perf::MmapRecord mapping;
  mapping.pid = pid;
  mapping.kernel = kernel;
  return Of(mapping);
}

perf::Record Name(uint32_t pid, bool exec) {
  return Of(perf::CommRecord{.pid = pid, .tid = pid, .name = {}, .exec = exec});
}

TEST(ProcessChangesTest, MappingsAndProgramsAreChanges) {
  ProcessChanges changes;
  changes.Add(Mapping(10, false));
  changes.Add(Mapping(11, true));
  changes.Add(Name(12, true));
  changes.Add(Name(13, false));
  changes.Add(Of(perf::ExitRecord{.pid = 14, .tid = 14}));
  changes.Add(Of(perf::ExitRecord{.pid = 15, .tid = 16}));  // a thread
  EXPECT_THAT(changes.changed(), UnorderedElementsAre(10, 12));
  EXPECT_THAT(changes.exited(), UnorderedElementsAre(14));
  changes.ClearChanged();
  changes.ClearExited();
  EXPECT_THAT(changes.changed(), IsEmpty());
  EXPECT_THAT(changes.exited(), IsEmpty());
}

TEST(ProcessChangesTest, ChildrenAreCopiesOfUnchangedParents) {
  ProcessChanges changes;
  changes.Add(Of(perf::ForkRecord{.pid = 20, .parent_pid = 10}));  // copied
  changes.Add(Of(perf::ForkRecord{.pid = 21, .parent_pid = 11}));  // of an unknown one
  changes.Add(Of(perf::ForkRecord{.pid = 22, .parent_pid = 12}));  // of one that changed
  changes.Add(Of(perf::ForkRecord{.pid = 23, .parent_pid = 10}));  // executes a program
  changes.Add(Of(perf::ForkRecord{.pid = 10, .parent_pid = 10}));  // a thread
  changes.Add(Mapping(12, false));
  changes.Add(Name(23, true));
  changes.Add(Of(perf::ExitRecord{.pid = 20, .tid = 20}));  // of an earlier process of this number
  std::vector<std::pair<uint32_t, uint32_t>> copied;
  const auto copy = [&](uint32_t parent, uint32_t child) {
    if (parent == 11) return false;
    copied.emplace_back(parent, child);
    return true;
  };
  changes.TakeForks(copy);
  EXPECT_THAT(copied, ElementsAre(std::pair(10U, 20U)));
  EXPECT_THAT(changes.changed(), UnorderedElementsAre(12, 21, 22, 23));
  EXPECT_THAT(changes.exited(), IsEmpty());
  // Each fork once.
  changes.TakeForks(copy);
  EXPECT_EQ(copied.size(), 1U);
}

}  // namespace
}  // namespace capture
