// SPDX-License-Identifier: BSD-2-Clause
#include "translate/kernel/function_names.h"

#include <gtest/gtest.h>

#include "unit/translate/capture_script.h"

namespace translate {
namespace {

TEST(FunctionNamesTest, AnInstantNamesTheFunctionOrItsAddress) {
  testing::CaptureScript script;
  script.identities().functions[-4096] = "flush";
  script.Task(7, 7, "app")
      .Slot(10, 0, FXR_SLOT_WORK_QUEUE, fxr_pack_work_queue({7, 0, -4096}))
      .Slot(20, 0, FXR_SLOT_WORK_QUEUE, fxr_pack_work_queue({7, 0, -1}));
  EXPECT_EQ(
      script.Lines("workqueue:"),
      (std::vector<std::string>{"10 instant app/7 workqueue:queue {function=flush}",
                                "20 instant app/7 workqueue:queue {function=0xffffffffffffffff}"}));
}

}  // namespace
}  // namespace translate
