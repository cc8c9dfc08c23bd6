// SPDX-License-Identifier: BSD-2-Clause
#include "session/settings_history.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace session {
namespace {

using schema::Settings;
using schema::SettingScope;

Settings Machine(const std::string& name, int64_t value) {
  return {.scope = SettingScope::kSystem, .subject = "", .pid = 0, .values = {{name, value}}};
}
Settings Process(uint32_t pid, std::vector<schema::Setting> values) {
  return {.scope = SettingScope::kProcess, .subject = "app", .pid = pid, .values = values};
}
fxr_exit Exit(uint64_t time, uint32_t tid, uint32_t tgid) {
  fxr_exit exit{};
  exit.header = {time, FXR_SIDE_EXIT, 0, 0, sizeof(exit)};
  exit.tid = tid;
  exit.tgid = tgid;
  return exit;
}

TEST(SettingsHistoryTest, TheStateAtTheEdgeHasTheLastValues) {
  SettingsHistory history;
  history.Add(10, Machine("a", 1));
  history.Add(20, Machine("b", 2));
  history.Add(30, Machine("a", 3));
  history.Add(40, Machine("a", 4));
  history.Trim(35);
  const auto all = history.All();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].time, 0U);
  EXPECT_EQ(all[0].settings->values, (std::vector<schema::Setting>{{"a", 3}, {"b", 2}}));
  EXPECT_EQ(all[1].time, 40U);
}

TEST(SettingsHistoryTest, ExecReplacesTheSettingsOfAProcess) {
  SettingsHistory history;
  history.Add(10, Process(5, {{"executable", "/one"}, {"nice", 1}}));
  history.Add(20, Process(5, {{"executable", "/two"}}));
  history.Trim(100);
  ASSERT_EQ(history.All().size(), 1U);
  EXPECT_EQ(history.All()[0].settings->values,
            (std::vector<schema::Setting>{{"executable", "/two"}}));
}

TEST(SettingsHistoryTest, EndedProcessesAreDroppedAfterTheWindow) {
  SettingsHistory history;
  history.Add(10, Process(5, {{"executable", "/one"}}));
  history.OnSideEvent(Exit(20, 6, 5).header);  // a thread of it
  history.Trim(50);
  EXPECT_EQ(history.All().size(), 1U);
  history.OnSideEvent(Exit(60, 5, 5).header);
  history.Trim(60);
  EXPECT_EQ(history.All().size(), 1U);
  history.Trim(61);
  EXPECT_TRUE(history.All().empty());
  // Its settings arrive late, but were read before its end.
  history.Add(55, Process(5, {{"executable", "/one"}}));
  history.Trim(60);
  EXPECT_EQ(history.All().size(), 1U);
  history.Trim(61);
  EXPECT_TRUE(history.All().empty());
  // Another process has the pid.
  history.Add(70, Process(5, {{"executable", "/two"}}));
  history.Trim(100);
  EXPECT_EQ(history.All().size(), 1U);
  history.OnSideEvent(Exit(110, 5, 5).header);
  history.Trim(111);
  EXPECT_EQ(history.bytes(), 0U);
}

TEST(SettingsHistoryTest, MemoryIsLimited) {
  SettingsHistory history(10'000);
  for (uint32_t pid = 1; pid < 1000; ++pid) {
    history.Add(pid, Process(pid, {{"executable", std::string(100, 'x')}}));
    if (pid % 10 == 0) history.Trim(pid);
  }
  EXPECT_LE(history.bytes(), 10'000U);
  EXPECT_FALSE(history.All().empty());
}

}  // namespace
}  // namespace session
