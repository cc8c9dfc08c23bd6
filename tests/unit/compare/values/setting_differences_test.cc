// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/setting_differences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace comparison {
namespace {

using measure::Capture;
using measure::SettingKey;
using schema::SettingScope;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A capture of the process "app" of a command.
Capture CaptureOfSettings(std::vector<std::pair<SettingKey, std::string>> settings) {
  Capture capture;
  measure::Group& group = capture.groups.emplace_back();
  group.name = {.process = "app", .thread = "app", .of_command = true};
  for (auto& [key, value] : settings) capture.settings[key].Add(value);
  return capture;
}
SettingKey System(const std::string& name) { return {SettingScope::kSystem, false, "", name}; }
SettingKey App(const std::string& name) { return {SettingScope::kProcess, true, "app", name}; }
SettingKey Command(const std::string& name) { return {SettingScope::kCommand, true, "app", name}; }

// "name: base -> new"
std::vector<std::string> DifferencesOf(const std::vector<Capture>& base,
                                       const std::vector<Capture>& next) {
  std::vector<const Capture*> captures;
  for (const Capture& capture : base) captures.push_back(&capture);
  for (const Capture& capture : next) captures.push_back(&capture);
  const Groups groups(captures, base.size());
  std::vector<std::string> found;
  for (const SettingDifference& each :
       FindSettingDifferences(groups, std::vector<bool>(groups.all().size(), true))) {
    found.push_back(each.name + ": " + each.base.value_or("-") + " -> " + each.next.value_or("-"));
  }
  return found;
}

TEST(SettingDifferencesTest, EqualSettingsAndFilesWithoutAnyAreNone) {
  const Capture one = CaptureOfSettings({{System("a"), "1"}, {App("nice"), "0"}});
  EXPECT_THAT(DifferencesOf({one, one}, {one}), IsEmpty());
  EXPECT_THAT(DifferencesOf({CaptureOfSettings({})}, {one}), IsEmpty());
  EXPECT_THAT(DifferencesOf({one}, {CaptureOfSettings({})}), IsEmpty());
}

TEST(SettingDifferencesTest, AProcessIsShownWithItsDigits) {
  Capture base = CaptureOfSettings({{App("nice"), "0"}});
  Capture next = CaptureOfSettings({{App("nice"), "5"}});
  base.groups[0].exact_process = next.groups[0].exact_process = "app2";
  const std::vector<const Capture*> captures = {&base, &next};
  const auto found = FindSettingDifferences(Groups(captures, 1), {true});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].subject, "app");
  EXPECT_EQ(found[0].shown, "app2");
}

TEST(SettingDifferencesTest, SidesThatAgreeAmongThemselvesDiffer) {
  const Capture base = CaptureOfSettings({{System("a"), "1"}, {App("nice"), "0"}});
  const Capture next = CaptureOfSettings({{System("a"), "2"}, {App("nice"), "5"}});
  EXPECT_THAT(DifferencesOf({base, base}, {next, next}), ElementsAre("a: 1 -> 2", "nice: 0 -> 5"));
  // A capture that does not know the process takes no part.
  EXPECT_THAT(DifferencesOf({base, CaptureOfSettings({{System("a"), "1"}})}, {next}),
              ElementsAre("a: 1 -> 2", "nice: 0 -> 5"));
}

TEST(SettingDifferencesTest, APoolOfAnotherSize) {
  const auto with_threads = [](uint64_t threads, const char* thread = "app") {
    Capture capture = CaptureOfSettings({});
    capture.groups[0].threads = threads;
    capture.groups[0].name.thread = thread;
    return capture;
  };
  const Capture five = with_threads(5);
  const Capture two = with_threads(2);
  EXPECT_THAT(DifferencesOf({five, five}, {two, two}), ElementsAre("threads: 5 -> 2"));
  EXPECT_THAT(DifferencesOf({with_threads(5, "pool")}, {with_threads(2, "pool")}),
              ElementsAre("threads of thread pool: 5 -> 2"));
  EXPECT_THAT(DifferencesOf({five, two}, {two, two}), IsEmpty());
  EXPECT_THAT(DifferencesOf({five, five}, {five, five}), IsEmpty());
  EXPECT_THAT(DifferencesOf({with_threads(0)}, {two}), IsEmpty());
}

TEST(SettingDifferencesTest, ThreadsThatFollowEachOtherAreNoPool) {
  const auto with_processes = [](uint64_t processes, uint64_t at_once) {
    Capture capture = CaptureOfSettings({});
    capture.end = 1000;
    capture.groups[0].threads = processes;
    capture.groups[0].share_ns[static_cast<size_t>(facts::Share::kAbsent)] =
        (processes - at_once) * 1000;
    return capture;
  };
  EXPECT_THAT(DifferencesOf({with_processes(8, 4)}, {with_processes(4, 2)}),
              ElementsAre("threads: 8 -> 4"));
  EXPECT_THAT(DifferencesOf({with_processes(181, 1)}, {with_processes(361, 1)}), IsEmpty());
}

TEST(SettingDifferencesTest, ValuesThatVaryWithinASideSayNothing) {
  EXPECT_THAT(DifferencesOf({CaptureOfSettings({{System("a"), "1"}}),
                             CaptureOfSettings({{System("a"), "2"}})},
                            {CaptureOfSettings({{System("a"), "3"}})}),
              IsEmpty());
}

TEST(SettingDifferencesTest, WhatIsSetOnOneSideAlone) {
  const Capture base = CaptureOfSettings({{Command("env.A"), "h"}});
  const Capture next = CaptureOfSettings({{Command("env.A"), "h"}, {Command("env.B"), "i"}});
  EXPECT_THAT(DifferencesOf({base}, {next}), ElementsAre("env.B: - -> i"));
  // The libraries of the base were not read.
  EXPECT_THAT(
      DifferencesOf({base},
                    {CaptureOfSettings({{Command("env.A"), "h"}, {Command("library.x"), "1"}})}),
      IsEmpty());
}

TEST(SettingDifferencesTest, HashesOfTwoKeysAreNotCompared) {
  const Capture base =
      CaptureOfSettings({{Command("env.A"), "h"}, {Command("environment_key"), "k"}});
  const Capture next =
      CaptureOfSettings({{Command("env.A"), "i"}, {Command("environment_key"), "l"}});
  EXPECT_THAT(DifferencesOf({base}, {next}), IsEmpty());
  EXPECT_THAT(DifferencesOf({base}, {CaptureOfSettings({{Command("env.A"), "i"},
                                                        {Command("environment_key"), "k"}})}),
              ElementsAre("env.A: h -> i"));
}

TEST(SettingDifferencesTest, OtherProcessesAndTheirGroupsAreNotShown) {
  const auto with = [](const std::string& value) {
    return CaptureOfSettings({{{SettingScope::kProcess, false, "other", "nice"}, value},
                              {{SettingScope::kCgroup, false, "/other", "cpu.max"}, value},
                              {App("cgroup"), "/a/b"},
                              {App("cgroup cpu.max"), value},
                              {{SettingScope::kCgroup, false, "/a", "cpu.max"}, value}});
  };
  // The limit is shown where it is set, in the group above that of the process.
  EXPECT_THAT(DifferencesOf({with("1")}, {with("2")}), ElementsAre("cpu.max: 1 -> 2"));
}

TEST(SettingDifferencesTest, ALimitOfAnotherGroupIsShownAtTheProcess) {
  const Capture base =
      CaptureOfSettings({{App("cgroup"), "/a"}, {App("cgroup cpu.max"), "max 100000"}});
  const Capture next =
      CaptureOfSettings({{App("cgroup"), "/b"}, {App("cgroup cpu.max"), "30000 100000"}});
  EXPECT_THAT(DifferencesOf({base}, {next}),
              ElementsAre("cgroup: /a -> /b", "cgroup cpu.max: max 100000 -> 30000 100000"));
}

TEST(SettingDifferencesTest, WhichOfSeveralCommandLinesWasSeenIsChance) {
  Capture base = CaptureOfSettings({{App("command_line"), "app 1"}});
  Capture next = CaptureOfSettings({{App("command_line"), "app 2"}});
  EXPECT_THAT(DifferencesOf({base}, {next}), ElementsAre("command_line: app 1 -> app 2"));
  next.settings[App("command_line")].Add("app 3");
  EXPECT_THAT(DifferencesOf({base}, {next}), IsEmpty());
}

}  // namespace
}  // namespace comparison
