// SPDX-License-Identifier: BSD-2-Clause
#include "session/window_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "unit/translate/capture_script.h"

namespace session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using translate::testing::CaptureScript;

TimedSettings At(uint64_t time, schema::SettingScope scope, uint32_t pid, int64_t value) {
  return {time, std::make_shared<const schema::Settings>(schema::Settings{
                    .scope = scope, .subject = "", .pid = pid, .values = {{"n", value}}})};
}

TEST(WindowSettingsTest, ProcessesThatDidNotRunHaveNone) {
  CaptureScript script;
  script.Task(100, 100, "runs").Task(200, 200, "sleeps").Task(300, 300, "ends");
  WindowSettings settings(
      {At(0, schema::SettingScope::kSystem, 0, 1), At(0, schema::SettingScope::kProcess, 100, 2),
       At(0, schema::SettingScope::kProcess, 200, 3), At(0, schema::SettingScope::kProcess, 300, 4),
       At(30, schema::SettingScope::kSystem, 0, 5), At(99, schema::SettingScope::kSystem, 0, 6)},
      50);
  script.Switch(10, 0, 0, 100);
  EXPECT_EQ(settings.NextTime(), 0U);
  settings.WriteUpTo(10, script.translator());
  EXPECT_EQ(settings.NextTime(), 30U);
  fxr_exit thread{};
  thread.tid = 301;
  thread.tgid = 300;
  settings.OnExit(thread, script.translator());
  fxr_exit exit{};
  exit.tid = exit.tgid = 300;
  settings.OnExit(exit, script.translator());
  settings.WriteUpTo(30, script.translator());
  // Settings that were read after the end get the time of the end.
  EXPECT_EQ(settings.NextTime(), 50U);
  settings.WriteUpTo(50, script.translator());
  EXPECT_EQ(settings.NextTime(), UINT64_MAX);
  settings.Finish(script.translator());
  EXPECT_THAT(script.Lines("settings:"),
              ElementsAre(HasSubstr("n=1"), HasSubstr("n=4"), HasSubstr("n=5"), HasSubstr("n=6"),
                          HasSubstr("n=2")));
}

}  // namespace
}  // namespace session
