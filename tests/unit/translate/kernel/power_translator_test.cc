// SPDX-License-Identifier: BSD-2-Clause
#include "translate/kernel/power_translator.h"

#include <gtest/gtest.h>

#include "unit/translate/capture_script.h"

namespace translate {
namespace {

TEST(PowerTranslatorTest, CountersOfEachCpu) {
  testing::CaptureScript script;
  script.Slot(10, 0, FXR_SLOT_CPU_FREQUENCY, fxr_pack_cpu_frequency({3, 2400000}))
      .Slot(20, 0, FXR_SLOT_CPU_IDLE, fxr_pack_cpu_idle({3, 2}))
      .Slot(30, 0, FXR_SLOT_CPU_IDLE, fxr_pack_cpu_idle({3, ~0u}));
  const auto lines = script.Lines("power:");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_NE(lines[0].find("cpu_frequency=2400000"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find("cpu_idle=2"), std::string::npos) << lines[1];
  EXPECT_NE(lines[2].find("cpu_idle=-1"), std::string::npos) << lines[2];
  EXPECT_EQ(script.translator().stats().recorded[FXR_CATEGORY_POWER], 3u);
}

}  // namespace
}  // namespace translate
