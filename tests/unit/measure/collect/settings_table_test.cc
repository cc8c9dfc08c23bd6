// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/settings_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace measure {
namespace {

using schema::SettingScope;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

class SettingsTableTest : public ::testing::Test {
 protected:
  void Add(SettingScope scope, std::string_view subject, fxt::Koid process,
           const std::vector<std::pair<std::string, std::string>>& settings) {
    std::vector<fxt::Argument> arguments;
    for (const auto& [name, value] : settings) {
      arguments.push_back({fxt::StringRef::Inline(texts_.emplace_back(name)),
                           fxt::StringRef::Inline(texts_.emplace_back(value))});
    }
    facts::SettingsEvent event{
        .scope = scope, .subject = subject, .process = {}, .values = arguments};
    if (process != 0) event.process = process;
    table_.Add(event);
  }
  // "subject/name=value,value", with "*" for what is of the command's tree.
  std::vector<std::string> Finish() {
    std::vector<std::string> lines;
    for (const auto& [key, values] : table_.Finish(tree_)) {
      std::string line = (key.of_command ? "*" : "") + key.subject + "/" + key.name + "=";
      for (const std::string& value : values.values) line += value + ",";
      lines.push_back(line);
    }
    return lines;
  }

  SettingsTable table_;
  CommandTree tree_;
  std::deque<std::string> texts_;
};

TEST_F(SettingsTableTest, TheMachineHasAllValuesThatItHad) {
  Add(SettingScope::kSystem, "", 0, {{"vm.swappiness", "60"}, {"a", "1"}});
  Add(SettingScope::kSystem, "", 0, {{"vm.swappiness", "10"}});
  EXPECT_THAT(Finish(), ElementsAre("/a=1,", "/vm.swappiness=10,60,"));
}

TEST_F(SettingsTableTest, OfAProcessTheLastProgramCounts) {
  tree_.SetCommand(5);
  Add(SettingScope::kProcess, "nice", 5, {{"executable", "/bin/nice"}, {"nice", "0"}});
  Add(SettingScope::kCommand, "nice", 5, {{"library./lib/libold.so", "1"}});
  Add(SettingScope::kProcess, "app1", 5, {{"executable", "/opt/app"}, {"threads", "3"}});
  Add(SettingScope::kProcess, "app1", 5, {{"nice", "4"}});
  Add(SettingScope::kCommand, "app1", 5, {{"library./lib/libnew.so", "2"}, {"env.PWD", "h"}});
  Add(SettingScope::kProcess, "app2", 6, {{"executable", "/opt/app"}, {"nice", "5"}});
  EXPECT_THAT(Finish(), ElementsAre("app#/executable=app,", "app#/nice=5,", "*app#/executable=app,",
                                    "*app#/nice=4,", "*app#/library.libnew.so=2,"));
}

TEST_F(SettingsTableTest, LimitsOfGroupsAboveHoldForAProcess) {
  Add(SettingScope::kCgroup, "/a", 0, {{"cpu.max", "30000 100000"}, {"memory.max", "max"}});
  Add(SettingScope::kCgroup, "/a/b", 0,
      {{"cpu.max", "max 100000"}, {"memory.max", "max"}, {"cpu.weight", "50"}});
  Add(SettingScope::kCgroup, "cpu:/x", 0, {{"cpu.cfs_quota_us", "-1"}, {"cpu.shares", "2"}});
  Add(SettingScope::kProcess, "two", 5, {{"executable", "/two"}, {"cgroup", "/a/b"}});
  Add(SettingScope::kProcess, "one", 6, {{"executable", "/one"}, {"cgroup", "cpu:/x"}});
  const auto lines = Finish();
  EXPECT_THAT(lines, Contains("two/cgroup cpu.max=30000 100000,"));
  EXPECT_THAT(lines, Contains("two/cgroup memory.max=max,"));
  EXPECT_THAT(lines, Contains("two/cgroup cpu.weight=50,"));
  EXPECT_THAT(lines, Contains("one/cgroup cpu.cfs_quota_us=-1,"));
  EXPECT_THAT(lines, Contains("one/cgroup cpu.shares=2,"));
  EXPECT_THAT(lines, Not(Contains("one/cgroup cpu.max=max,")));
}

TEST_F(SettingsTableTest, MemoryIsLimited) {
  const std::string large(100'000, 'x');
  for (fxt::Koid process = 1; process < 1000; ++process) {
    Add(SettingScope::kProcess, "app", process, {{"executable", large}, {"command_line", large}});
    texts_.clear();
  }
  size_t bytes = 0;
  for (const auto& [key, values] : table_.Finish(tree_)) {
    for (const std::string& value : values.values) bytes += value.size();
  }
  EXPECT_LT(bytes, SettingsTable::kMostBytes);
}

}  // namespace
}  // namespace measure
