// SPDX-License-Identifier: BSD-2-Clause
#include "settings/system_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <variant>

#include "support/temp_folder.h"

namespace settings {
namespace {

using schema::SettingScope;
using testing_support::TempFolder;

class SystemSettingsTest : public ::testing::Test {
 protected:
  // By name; numbers as text.
  std::map<std::string, std::string> Of(SettingScope scope, const std::string& subject) const {
    std::map<std::string, std::string> found;
    const Roots roots{.proc = folder_ / "proc", .sys = folder_ / "sys", .boot = folder_ / "boot"};
    for (const schema::Settings& each : SystemReader(roots).Read()) {
      if (each.scope != scope || each.subject != subject) continue;
      for (const auto& [name, value] : each.values) {
        const auto* number = std::get_if<int64_t>(&value);
        found[name] = number != nullptr ? std::to_string(*number) : std::get<std::string>(value);
      }
    }
    return found;
  }

  TempFolder folder_;
};

TEST_F(SystemSettingsTest, ReadsFilesAndChoices) {
  folder_.Write("proc/cmdline", "quiet preempt=none\n");
  folder_.Write("proc/config.gz", "CONFIG_HZ=250\nCONFIG_NO_HZ_IDLE=y\nCONFIG_PREEMPT_DYNAMIC=y\n");
  folder_.Write("proc/sys/vm/swappiness", "60\n");
  folder_.Write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  folder_.Write("sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n");
  auto system = Of(SettingScope::kSystem, "");
  EXPECT_EQ(system["vm.swappiness"], "60");
  EXPECT_EQ(system["thp.enabled"], "madvise");
  EXPECT_EQ(system["mitigation.meltdown"], "Mitigation: PTI");
  EXPECT_EQ(system["kernel.command_line"], "quiet preempt=none");
  EXPECT_EQ(system["kernel.hz"], "250");
  EXPECT_EQ(system["kernel.tick"], "idle");
  EXPECT_EQ(system["kernel.preemption"], "none");
  EXPECT_FALSE(system.contains("vm.dirty_ratio"));
  folder_.Write("sys/kernel/debug/sched/preempt", "none voluntary (full) lazy\n");
  EXPECT_EQ(Of(SettingScope::kSystem, "")["kernel.preemption"], "full");
}

TEST_F(SystemSettingsTest, WithoutAConfigurationThePreemptionModelIsNotGuessed) {
  folder_.Write("proc/cmdline", "quiet\n");
  auto system = Of(SettingScope::kSystem, "");
  if (system["kernel.version"].find("PREEMPT_RT") == std::string::npos) {
    EXPECT_FALSE(system.contains("kernel.preemption"));
  }
  EXPECT_FALSE(system.contains("kernel.hz"));
}

TEST_F(SystemSettingsTest, FrequencyPoliciesThatDifferNameTheirCpus) {
  const std::string folder = "sys/devices/system/cpu/cpufreq/policy";
  folder_.Write(folder + "0/scaling_governor", "performance\n");
  folder_.Write(folder + "0/affected_cpus", "0 1\n");
  folder_.Write(folder + "2/scaling_governor", "performance\n");
  folder_.Write(folder + "2/affected_cpus", "2 3\n");
  EXPECT_EQ(Of(SettingScope::kSystem, "")["cpu.governor"], "performance");
  folder_.Write(folder + "2/scaling_governor", "powersave\n");
  EXPECT_EQ(Of(SettingScope::kSystem, "")["cpu.governor"], "0 1: performance; 2 3: powersave");
}

TEST_F(SystemSettingsTest, DisksAndMounts) {
  folder_.Write("sys/block/sda/size", "100\n");
  folder_.Write("sys/block/sda/queue/scheduler", "none [mq-deadline] bfq\n");
  folder_.Write("sys/block/loop0/size", "0\n");
  folder_.Write("sys/block/loop0/queue/scheduler", "[none]\n");
  folder_.Write("proc/self/mountinfo",
                "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
                "27 1 8:1 / / rw,noatime - ext4 /dev/sda1 rw,discard\n"
                "40 1 8:2 / /with\\040space ro - xfs /dev/sda2 ro\n"
                "41 1 8:3 / / rw,relatime - ext4 /dev/sda1 rw,discard\n"
                "damaged\n");
  EXPECT_EQ(Of(SettingScope::kDevice, "sda")["scheduler"], "mq-deadline");
  EXPECT_TRUE(Of(SettingScope::kDevice, "loop0").empty());
  EXPECT_EQ(Of(SettingScope::kMount, "/")["options"], "rw,relatime,discard");
  EXPECT_EQ(Of(SettingScope::kMount, "/with space")["type"], "xfs");
  EXPECT_TRUE(Of(SettingScope::kMount, "/proc").empty());
}

}  // namespace
}  // namespace settings
