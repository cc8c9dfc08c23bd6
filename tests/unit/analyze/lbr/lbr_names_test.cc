// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/lbr/lbr_names.h"

#include <gtest/gtest.h>

#include "schema/koid.h"
#include "unit/analyze/lbr/lbr_parts.h"

namespace analyze {
namespace {

using fxt::KernelObjectType;
using testing::MakeObject;

TEST(LbrNamesTest, DistinguishesThreadsFromProcesses) {
  LbrNames names;
  names.Note(MakeObject(KernelObjectType::kThread, 20, "worker"));
  names.Note(MakeObject(KernelObjectType::kProcess, 20, "server"));
  EXPECT_EQ(names.thread(20), "worker");
  EXPECT_EQ(names.process(20), "server");
  EXPECT_EQ(names.thread(21), "");
  EXPECT_EQ(names.thread(0), "swapper");
  EXPECT_EQ(names.process(0), "swapper");
}

TEST(LbrNamesTest, KeepsTheLastNameAndIgnoresTracks) {
  LbrNames names;
  names.Note(MakeObject(KernelObjectType::kThread, 20, "first"));
  names.Note(MakeObject(KernelObjectType::kThread, schema::MakeKoid(20, 1), "second"));
  names.Note(MakeObject(KernelObjectType::kThread, schema::IrqKoid(20), "irq"));
  names.Note(MakeObject(KernelObjectType::kThread, uint64_t{1} << 40 | 20, "of another tool"));
  names.Note(MakeObject(static_cast<KernelObjectType>(3), 20, "no task"));
  EXPECT_EQ(names.thread(20), "second");
}

}  // namespace
}  // namespace analyze
