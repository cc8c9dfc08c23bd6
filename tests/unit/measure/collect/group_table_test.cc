// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/group_table.h"

#include <gtest/gtest.h>

#include <string>

#include "measure/group_name.h"
#include "schema/names.h"

namespace measure {
namespace {

// Names without digits, as groups have them.
std::string NameOf(size_t number) {
  std::string name = "n";
  for (; number != 0; number /= 20) name += static_cast<char>('a' + number % 20);
  return name;
}

TEST(GroupTableTest, AGroupIsAProcessNameAThreadNameAndASide) {
  GroupTable table;
  const uint32_t process = table.AddName("server", false);
  const uint32_t thread = table.AddName("worker", false);
  const uint32_t group = table.Find(process, thread, false);
  EXPECT_EQ(table.Find(process, thread, false), group);
  EXPECT_NE(table.Find(process, process, false), group);
  const uint32_t of_command = table.Find(process, thread, true);
  EXPECT_NE(of_command, group);
  EXPECT_EQ(table.groups()[group].name, (GroupName{"server", "worker", false}));
  EXPECT_EQ(table.groups()[of_command].name, (GroupName{"server", "worker", true}));
}

TEST(GroupTableTest, TheRecorderIsNoPartOfACommand) {
  GroupTable table;
  const uint32_t name = table.AddName(std::string(schema::kRecorderName), false);
  EXPECT_TRUE(table.groups()[table.Find(name, name, false)].of_recorder);
  EXPECT_FALSE(table.groups()[table.Find(name, name, true)].of_recorder);
}

TEST(GroupTableTest, ManyThreadNamesOfAProcessShareAGroupInTheEnd) {
  GroupTable table;
  const uint32_t process = table.AddName("server", false);
  for (size_t i = 0; i < GroupTable::kMaxOfProcess + 50; ++i) {
    table.Find(process, table.AddName(NameOf(i), false), false);
  }
  EXPECT_EQ(table.groups().size(), GroupTable::kMaxOfProcess + 1);
  EXPECT_EQ(table.groups().back().name, (GroupName{"server", std::string(kOthers), false}));
  const uint32_t other = table.AddName("client", false);
  EXPECT_EQ(table.groups()[table.Find(other, other, false)].name.process, "client");
}

TEST(GroupTableTest, OtherProcessesLeaveRoomForTheCommand) {
  GroupTable table;
  table.KeepRoomForCommand();
  for (size_t i = 0; i < 30'000; ++i) {
    const uint32_t name = table.AddName(NameOf(i), false);
    table.Find(name, name, false);
  }
  const size_t outside = table.groups().size();
  EXPECT_LE(outside + GroupTable::kKeptForCommand, GroupTable::kMaxGroups);
  const uint32_t late = table.AddName("latecomer", false);
  EXPECT_EQ(table.groups()[table.Find(late, late, false)].name.process, kOthers);
  const uint32_t command = table.AddName("command", true);
  EXPECT_EQ(table.groups()[table.Find(command, command, true)].name,
            (GroupName{"command", "command", true}));
}

TEST(GroupTableTest, ACommandWithAllGroupsIsStillSeparateFromOthers) {
  GroupTable table;
  table.KeepRoomForCommand();
  for (size_t i = 0; i < 30'000; ++i) {
    const uint32_t name = table.AddName(NameOf(i), true);
    table.Find(name, name, true);
  }
  const uint32_t name = table.AddName("neighbour", false);
  table.Find(name, name, false);
  EXPECT_LE(table.groups().size(), GroupTable::kMaxGroups);
  const std::string others(kOthers);
  const uint32_t of_command = table.Find(table.others(), table.others(), true);
  EXPECT_EQ(table.groups()[of_command].name, (GroupName{others, others, true}));
  const uint32_t outside = table.Find(table.others(), table.others(), false);
  EXPECT_EQ(table.groups()[outside].name, (GroupName{others, others, false}));
}

TEST(GroupTableTest, NamesKeepTheirDigitsIfTheyAreUnique) {
  GroupTable table;
  const uint32_t python = table.AddName("python3", false);
  const uint32_t first = table.AddName("kworker/3:1", false);
  const uint32_t same = table.AddName("kworker/0:12", false);
  EXPECT_EQ(first, same);
  const uint32_t alone = table.Find(python, python, false);
  const uint32_t several = table.Find(first, python, false);
  table.SetExactNames();
  EXPECT_EQ(table.groups()[alone].name.process, "python#");
  EXPECT_EQ(table.groups()[alone].shown(), (GroupName{"python3", "python3", false}));
  EXPECT_EQ(table.groups()[several].shown(), (GroupName{"kworker/#:#", "python3", false}));
}

TEST(GroupTableTest, ANameThatIsCutHasNoDigits) {
  GroupTable table;
  const std::string longest = std::string(kMaxFoldedBytes, 'a') + "17";
  const uint32_t number = table.AddName(longest, false);
  const uint32_t group = table.Find(number, number, false);
  table.SetExactNames();
  EXPECT_EQ(table.groups()[group].shown().process, std::string(kMaxFoldedBytes, 'a'));
}

}  // namespace
}  // namespace measure
