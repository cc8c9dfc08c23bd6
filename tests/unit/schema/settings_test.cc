// SPDX-License-Identifier: BSD-2-Clause
#include "schema/settings.h"

#include <gtest/gtest.h>

namespace schema {
namespace {

TEST(SettingsTest, SettingsOfAThreadNameIt) {
  const std::string text = ThreadSettingPrefix("tokio.rt/0", 42) + "cpus_allowed";
  EXPECT_EQ(text, "thread.tokio.rt/0/42.cpus_allowed");
  const auto setting = AsThreadSetting(text);
  ASSERT_TRUE(setting);
  EXPECT_EQ(setting->thread, "tokio.rt/0");
  EXPECT_EQ(setting->tid, 42U);
  EXPECT_EQ(setting->name, "cpus_allowed");
}

TEST(SettingsTest, OtherSettingsAreOfNoThread) {
  for (const char* text : {"threads", "thread.", "thread.x", "thread.a/b.nice", "thread.a/.nice",
                           "thread.a/1x.nice", "limit.open_files"}) {
    EXPECT_FALSE(AsThreadSetting(text)) << text;
  }
}

}  // namespace
}  // namespace schema
