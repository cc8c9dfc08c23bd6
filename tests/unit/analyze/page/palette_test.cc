// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/palette.h"

#include <gtest/gtest.h>

namespace analyze {
namespace {

TEST(PaletteTest, HasThePagesColours) {
  for (const PageStyle style : {PageStyle::kLight, PageStyle::kDark}) {
    for (const char* name : {"paper", "ink", "running", "wakeup", "preempted", "sleeping",
                             "blocked", "stopped", "unknown", "worse", "other", "many"}) {
      const std::string colour = PageColour(style, name);
      EXPECT_EQ(colour.size(), 7U) << name;
      EXPECT_EQ(colour[0], '#') << name;
    }
  }
  EXPECT_NE(PageColour(PageStyle::kLight, "ink"), PageColour(PageStyle::kDark, "ink"));
  EXPECT_NE(PageColour(PageStyle::kLight, "running"), PageColour(PageStyle::kLight, "blocked"));
}

TEST(PaletteTest, UnknownNamesAreEmpty) {
  EXPECT_EQ(PageColour(PageStyle::kLight, "no-such"), "");
  EXPECT_EQ(PageColour(PageStyle::kLight, ""), "");
}

}  // namespace
}  // namespace analyze
