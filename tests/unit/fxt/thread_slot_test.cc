// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/detail/thread_slot.h"

#include <gtest/gtest.h>

namespace fxt {
namespace {

TEST(ThreadSlotTest, HasAnIndexOnlyInItsOwnTable) {
  const ThreadSlot slot(7, 255);
  EXPECT_EQ(slot.IndexIn(7), 255u);
  EXPECT_GT(slot.IndexIn(6), 255u);
  EXPECT_GT(slot.IndexIn(UINT32_MAX), 255u);
  EXPECT_EQ(ThreadSlot(UINT32_MAX, 1).IndexIn(UINT32_MAX), 1u);
}

TEST(ThreadSlotTest, IsInNoTableByDefaultAndWithIndexZero) {
  for (uint32_t provider : {1u, 2u, UINT32_MAX}) {
    EXPECT_GT(ThreadSlot().IndexIn(provider), 255u);
    EXPECT_GT(ThreadSlot(provider, 0).IndexIn(provider), 255u);
  }
}

}  // namespace
}  // namespace fxt
