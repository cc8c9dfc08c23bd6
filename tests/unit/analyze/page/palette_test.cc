// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/palette.h"

#include <gtest/gtest.h>

namespace analyze {
namespace {

TEST(PaletteTest, HasThePagesColours) {
  for (const char* name : {"paper", "ink", "running", "wakeup", "preempted", "sleeping", "blocked",
                           "stopped", "unknown", "worse", "other", "many"}) {
    const std::string colour = PageColour(name);
    EXPECT_EQ(colour.size(), 7U) << name;
    EXPECT_EQ(colour[0], '#') << name;
  }
  EXPECT_NE(PageColour("running"), PageColour("blocked"));
}

TEST(PaletteTest, UnknownNamesAreEmpty) {
  EXPECT_EQ(PageColour("no-such"), "");
  EXPECT_EQ(PageColour(""), "");
}

}  // namespace
}  // namespace analyze
