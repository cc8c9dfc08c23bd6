// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/share.h"

#include <gtest/gtest.h>

namespace facts {
namespace {

TEST(ShareTest, TheCauseOfAnUnknownTime) {
  Wait first{.kind = WaitKind::kUnknown, .began = Bound::kFileEdge};
  EXPECT_EQ(ShareOf(first), Share::kUnknown);
  EXPECT_EQ(UnknownCauseOf(first), UnknownCause::kBeforeFirst);

  const Wait hidden{.kind = WaitKind::kUnknown, .began = Bound::kUnseen};
  EXPECT_EQ(UnknownCauseOf(hidden), UnknownCause::kHidden);
  const Wait without_wakeup{.kind = WaitKind::kSleep, .ended = Bound::kNoWakeup};
  EXPECT_EQ(ShareOf(without_wakeup), Share::kUnknown);
  EXPECT_EQ(UnknownCauseOf(without_wakeup), UnknownCause::kHidden);

  // A loss is the cause wherever it is.
  const Wait lost{.kind = WaitKind::kSleep, .ended = Bound::kLoss};
  EXPECT_EQ(UnknownCauseOf(lost), UnknownCause::kLoss);
  first.touches_loss = true;
  EXPECT_EQ(UnknownCauseOf(first), UnknownCause::kLoss);
}

}  // namespace
}  // namespace facts
