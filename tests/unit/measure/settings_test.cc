// SPDX-License-Identifier: BSD-2-Clause
#include "measure/settings.h"

#include <gtest/gtest.h>

#include <string>

namespace measure {
namespace {

TEST(SettingsTest, CommandLinesLoseWhatDiffersFromRunToRun) {
  EXPECT_EQ(FoldCommandLine("/home/a/build/app --x=1 /data/in"), "app --x=1 /data/in");
  EXPECT_EQ(FoldCommandLine("app --out=/tmp/tmp.Xy12/a.fxt --level 2"),
            "app --out=/tmp/... --level 2");
  EXPECT_EQ(FoldCommandLine("app /var/tmp/x:/dev/shm/y"), "app /var/tmp/...:/dev/shm/...");
  EXPECT_EQ(FoldCommandLine("app /data/tmp/x"), "app /data/tmp/x");
  EXPECT_EQ(FoldCommandLine("/tmp/x/app"), "app");
  EXPECT_EQ(FoldCommandLine(""), "");
}

TEST(SettingsTest, CgroupsLoseNumbersAndIds) {
  EXPECT_EQ(FoldCgroup("/user.slice/session-12.scope"), "/user.slice/session-#.scope");
  EXPECT_EQ(FoldCgroup("/docker/0123456789abcdef0123"), "/docker/#");
  EXPECT_EQ(FoldCgroup("/facade/added.service"), "/facade/added.service");
}

TEST(SettingsTest, VariablesOfASessionAreNotCompared) {
  EXPECT_TRUE(IsComparedVariable("LD_PRELOAD"));
  EXPECT_FALSE(IsComparedVariable("SUDO_COMMAND"));
  EXPECT_FALSE(IsComparedVariable("SSH_CONNECTION"));
  EXPECT_FALSE(IsComparedVariable("_"));
}

TEST(SettingsTest, ValuesAreLimited) {
  SettingValues values;
  for (int i = 0; i < 20; ++i) values.Add(std::to_string(i));
  EXPECT_EQ(values.values.size(), SettingValues::kMost);
  EXPECT_TRUE(values.more);
  SettingValues others;
  others.Add("x");
  others.Merge(others);
  EXPECT_EQ(others.values.size(), 1U);
  EXPECT_FALSE(others.more);
}

}  // namespace
}  // namespace measure
