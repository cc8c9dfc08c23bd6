// SPDX-License-Identifier: BSD-2-Clause
#include "settings/settings_collector.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/temp_folder.h"
#include "util/clock.h"

namespace settings {
namespace {

constexpr uint64_t kTimeout = 60'000'000'000;

std::vector<std::string> ValuesOf(const std::vector<ReadSettings>& all, std::string_view name) {
  std::vector<std::string> values;
  for (const ReadSettings& each : all) {
    for (const auto& [key, value] : each.settings.values) {
      if (key != name) continue;
      const auto* number = std::get_if<int64_t>(&value);
      values.push_back(number != nullptr ? std::to_string(*number) : std::get<std::string>(value));
    }
  }
  return values;
}

class SettingsCollectorTest : public ::testing::Test {
 protected:
  SettingsCollectorTest() {
    folder_.Write("proc/sys/vm/swappiness", "60\n");
    options_.roots = {.proc = folder_ / "proc", .sys = folder_.path(), .boot = ""};
    options_.key_path = folder_ / "key";
  }

  testing_support::TempFolder folder_;
  CollectorOptions options_;
};

TEST_F(SettingsCollectorTest, ReportsWhatChanged) {
  SettingsCollector collector(options_);
  collector.Start();
  collector.Refresh(kTimeout);
  EXPECT_EQ(ValuesOf(collector.Take(), "vm.swappiness"), std::vector<std::string>{"60"});
  collector.Refresh(kTimeout);
  EXPECT_TRUE(collector.Take().empty());
  folder_.Write("proc/sys/vm/swappiness", "10\n");
  collector.Refresh(kTimeout);
  EXPECT_EQ(ValuesOf(collector.Take(), "vm.swappiness"), std::vector<std::string>{"10"});
}

TEST_F(SettingsCollectorTest, ReadsProcessesThatAreAskedFor) {
  options_.roots.proc = "/proc";
  const uint64_t begin = util::MonotonicNow();
  SettingsCollector collector(options_);
  collector.Start();
  const auto own = static_cast<uint32_t>(getpid());
  collector.AskProcess(own, 5, ProcessUse::kOther);
  collector.AskProcess(own, 6, ProcessUse::kCommand);
  // A delay does not outlast a refresh.
  collector.AskProcess(own, 7, ProcessUse::kOther, kTimeout);
  collector.AskProcess(own, 8, ProcessUse::kOther, kTimeout);
  collector.Drop(8);
  // Its executable is that of this process.
  collector.AwaitCommand(own, 9);
  collector.Refresh(kTimeout);
  const uint64_t end = util::MonotonicNow();
  std::vector<uint32_t> read;
  bool has_environment = false;
  for (const auto& [time, each] : collector.Take()) {
    EXPECT_GE(time, begin);
    EXPECT_LE(time, end);
    if (each.scope == schema::SettingScope::kProcess) read.push_back(each.pid);
    has_environment =
        has_environment || (each.scope == schema::SettingScope::kCommand && each.pid == 6);
  }
  std::sort(read.begin(), read.end());
  EXPECT_EQ(read, (std::vector<uint32_t>{5, 6, 7}));
  EXPECT_TRUE(has_environment);
  EXPECT_EQ(collector.dropped(), 0U);
}

TEST_F(SettingsCollectorTest, EndsWithoutAStart) { const SettingsCollector collector(options_); }

}  // namespace
}  // namespace settings
