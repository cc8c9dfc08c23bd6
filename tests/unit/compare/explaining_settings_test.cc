// SPDX-License-Identifier: BSD-2-Clause
#include "compare/explaining_settings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace comparison {
namespace {

using schema::SettingScope;

enum : size_t { kWorker, kHog };

class ExplainingSettingsTest : public ::testing::Test {
 protected:
  ExplainingSettingsTest() {
    for (const char* name : {"worker", "hog"}) {
      DiffGroup group;
      group.name = {name, name, true};
      report_.groups.push_back(group);
    }
  }
  void Differ(SettingScope scope, const char* subject, const char* name) {
    report_.settings.push_back(
        {.scope = scope, .subject = subject, .name = name, .base = "1", .next = "2"});
  }
  // The names of the settings that explain a change of the worker.
  std::vector<std::string> Of(Metric metric, std::vector<CauseLink> causes = {}) const {
    ComparisonRow row;
    row.group = kWorker;
    row.metric = metric;
    row.causes = std::move(causes);
    std::vector<std::string> names;
    for (const size_t at : ExplainingSettings(report_, row)) {
      names.push_back(report_.settings[at].subject + ":" + report_.settings[at].name);
    }
    return names;
  }

  DiffReport report_;
};

using Names = std::vector<std::string>;

TEST_F(ExplainingSettingsTest, ASettingExplainsTheKindOfChangeThatItActsOn) {
  struct Case {
    SettingScope scope;
    const char* subject;
    const char* name;
    Metric acts_on;
    Metric not_on;
  };
  const Case cases[] = {
      {SettingScope::kProcess, "worker", "cpus_allowed", Metric::kAffinity, Metric::kBlocked},
      {SettingScope::kProcess, "worker", "nice", Metric::kPreemptedWait, Metric::kCpuTime},
      {SettingScope::kProcess, "worker", "policy", Metric::kRtThrottled, Metric::kSleep},
      {SettingScope::kProcess, "worker", "timerslack_ns", Metric::kSleep, Metric::kAffinity},
      {SettingScope::kCgroup, "/app", "cpu.max", Metric::kThrottled, Metric::kPreemptedWait},
      {SettingScope::kCgroup, "/app", "cpu.weight", Metric::kWeight, Metric::kThrottled},
      {SettingScope::kCgroup, "/app", "memory.high", Metric::kBlocked, Metric::kWakeupLatency},
      {SettingScope::kCgroup, "/app", "memory.high", Metric::kCpuTime, Metric::kSleep},
      {SettingScope::kCgroup, "/app", "io.max", Metric::kBlocked, Metric::kCpuTime},
      {SettingScope::kDevice, "vda", "scheduler", Metric::kBlocked, Metric::kSleep},
      {SettingScope::kMount, "/", "options", Metric::kBlocked, Metric::kSleep},
      {SettingScope::kSystem, "", "cpu.governor", Metric::kCpuTime, Metric::kSleep},
      {SettingScope::kSystem, "", "mitigation.retbleed", Metric::kSyscallTime, Metric::kAffinity},
      {SettingScope::kSystem, "", "kernel.sched_rt_runtime_us", Metric::kRtThrottled,
       Metric::kCpuTime},
  };
  for (const Case& one : cases) {
    report_.settings.clear();
    Differ(one.scope, one.subject, one.name);
    EXPECT_EQ(Of(one.acts_on).size(), 1U) << one.name;
    EXPECT_TRUE(Of(one.not_on).empty()) << one.name;
  }
}

TEST_F(ExplainingSettingsTest, ASmallerPoolExplainsWaitsForItAndALongerRun) {
  report_.settings.push_back({.scope = SettingScope::kProcess,
                              .subject = "hog",
                              .name = "threads",
                              .base = "10",
                              .next = "9"});
  EXPECT_EQ(Of(Metric::kElapsed), Names{"hog:threads"});
  EXPECT_EQ(Of(Metric::kSleep), Names{});
  CauseLink link;
  link.kind = CauseLink::Kind::kAnsweredBy;
  link.group = kHog;
  EXPECT_EQ(Of(Metric::kSleep, {link}), Names{"hog:threads"});
  // Those of another kind are no part of it.
  report_.settings[0].name = "threads of thread flush-#";
  EXPECT_EQ(Of(Metric::kSleep, {link}), Names{});
  report_.settings[0].name = "threads of thread hog";
  EXPECT_EQ(Of(Metric::kSleep, {link}), Names{"hog:threads of thread hog"});
  report_.settings[0].name = "threads";
  // More of them are no reason for a longer run.
  std::swap(report_.settings[0].base, report_.settings[0].next);
  EXPECT_EQ(Of(Metric::kElapsed), Names{});
}

TEST_F(ExplainingSettingsTest, WhatAProcessRunsExplainsNothing) {
  for (const char* name : {"command_line", "executable", "build_id"}) {
    Differ(SettingScope::kProcess, "worker", name);
  }
  Differ(SettingScope::kCommand, "worker", "environment PATH");
  Differ(SettingScope::kCommand, "worker", "library libc.so.6");
  for (size_t metric = 0; metric < kMetrics; ++metric) {
    EXPECT_TRUE(Of(static_cast<Metric>(metric)).empty()) << IdOf(static_cast<Metric>(metric));
  }
}

TEST_F(ExplainingSettingsTest, AnotherProcessCountsWhereItHadTheCpu) {
  Differ(SettingScope::kProcess, "hog", "nice");
  EXPECT_TRUE(Of(Metric::kPreemptedWait).empty());
  const std::vector<CauseLink> held = {
      {CauseLink::Kind::kHeldCpu, kHog, 100, Metric::kPreemptedWait}};
  EXPECT_EQ(Of(Metric::kPreemptedWait, held), Names{"hog:nice"});
  EXPECT_TRUE(Of(Metric::kSleep, held).empty());
}

TEST_F(ExplainingSettingsTest, TheGroupsOwnComeFirst) {
  Differ(SettingScope::kSystem, "", "kernel.sched_base_slice_ns");
  Differ(SettingScope::kProcess, "hog", "nice");
  Differ(SettingScope::kProcess, "worker", "nice of thread pool-#");
  const std::vector<CauseLink> held = {
      {CauseLink::Kind::kHeldCpu, kHog, 100, Metric::kWakeupLatency}};
  EXPECT_EQ(Of(Metric::kWakeupLatency, held),
            (Names{"worker:nice of thread pool-#", "hog:nice", ":kernel.sched_base_slice_ns"}));
}

TEST_F(ExplainingSettingsTest, LimitsOfTheGroupsAboveAreNamedByTheProcess) {
  Differ(SettingScope::kProcess, "worker", "cgroup cpu.max");
  EXPECT_EQ(Of(Metric::kThrottled), Names{"worker:cgroup cpu.max"});
}

TEST_F(ExplainingSettingsTest, ASettingOfAThreadActsOnThatThread) {
  const auto acts = [&](const char* process, const char* thread, Metric metric) {
    return ActsOnMetric(report_.settings.back(), metric, {process, thread, true});
  };
  Differ(SettingScope::kProcess, "worker", "cpus_allowed");
  EXPECT_TRUE(acts("worker", "pool-#", Metric::kAffinity));
  EXPECT_FALSE(acts("hog", "pool-#", Metric::kAffinity));
  EXPECT_FALSE(acts("worker", "pool-#", Metric::kSleep));
  Differ(SettingScope::kProcess, "worker", "cpus_allowed of thread pool-#");
  EXPECT_TRUE(acts("worker", "pool-#", Metric::kAffinity));
  EXPECT_FALSE(acts("worker", "main", Metric::kAffinity));
  EXPECT_FALSE(acts("hog", "pool-#", Metric::kAffinity));
  Differ(SettingScope::kSystem, "", "cpu.isolated");
  EXPECT_TRUE(acts("hog", "pool-#", Metric::kAffinity));
}

TEST_F(ExplainingSettingsTest, ChangesOfTheMachineHaveNone) {
  Differ(SettingScope::kSystem, "", "cpu.governor");
  ComparisonRow row;
  row.metric = Metric::kElapsed;
  EXPECT_TRUE(ExplainingSettings(report_, row).empty());
}

}  // namespace
}  // namespace comparison
