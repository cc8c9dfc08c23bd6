// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/groups.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace comparison {
namespace {

// A capture of one group.
measure::Capture WithGroup(const std::string& exact_process, const std::string& exact_thread) {
  measure::Capture capture;
  measure::Group& group = capture.groups.emplace_back();
  group.name = {.process = "python#", .thread = "pool-#"};
  group.exact_process = exact_process;
  group.exact_thread = exact_thread;
  return capture;
}

TEST(GroupsTest, ANameHasItsDigitsIfAllCapturesAgree) {
  const measure::Capture first = WithGroup("python3", "pool-1");
  const measure::Capture second = WithGroup("python3", "pool-2");
  const std::vector<const measure::Capture*> captures = {&first, &second};
  const Groups groups(captures, 1);
  ASSERT_EQ(groups.all().size(), 1u);
  EXPECT_EQ(groups.all()[0].shown, (measure::GroupName{"python3", "pool-#", false}));
}

TEST(GroupsTest, AFoldedNameOfOneCaptureIsThatOfAll) {
  const measure::Capture first = WithGroup("python3", "pool-1");
  const measure::Capture second = WithGroup("", "");
  for (const auto& captures : {std::vector{&first, &second}, std::vector{&second, &first}}) {
    const Groups groups(captures, 1);
    EXPECT_EQ(groups.all()[0].shown, (measure::GroupName{"python#", "pool-#", false}));
  }
}

}  // namespace
}  // namespace comparison
