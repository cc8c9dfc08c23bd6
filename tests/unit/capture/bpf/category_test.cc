// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/category.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "schema/event_info.h"
#include "schema/names.h"

namespace capture {
namespace {

using Names = std::vector<std::string>;

CategorySelection Parsed(std::string_view list) {
  auto selection = ParseCategories(list);
  EXPECT_TRUE(selection.ok()) << list;
  return selection.ok() ? *selection : CategorySelection{};
}

std::string Refusal(std::string_view list) {
  const auto selection = ParseCategories(list);
  EXPECT_FALSE(selection.ok()) << list;
  return selection.ok() ? "" : selection.error().message + "; " + selection.error().hint;
}

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(CategoryTest, ParsesNamesInOrder) {
  const CategorySelection selection = Parsed("irq,task");
  EXPECT_EQ(selection.wanted.count(), 2u);
  EXPECT_TRUE(selection.wanted.test(FXR_CATEGORY_IRQ));
  EXPECT_TRUE(selection.wanted.test(FXR_CATEGORY_TASK));
  EXPECT_EQ(selection.by_name, selection.wanted);
}

TEST(CategoryTest, GroupsSelectWithoutNaming) {
  EXPECT_EQ(Parsed("default").wanted, DefaultCategories().wanted);
  EXPECT_TRUE(Parsed("all").wanted.all());
  EXPECT_TRUE(Parsed("all").by_name.none());
  const CategorySelection both = Parsed("default,irq");
  EXPECT_EQ(both.by_name.count(), 1u);
  EXPECT_TRUE(both.by_name.test(FXR_CATEGORY_IRQ));
}

TEST(CategoryTest, PartsFollowTheirCategory) {
  EXPECT_EQ(Parsed("syscall:futex,read").syscalls, (Names{"futex", "read"}));
  const CategorySelection selection = Parsed("sched:switch,waking,syscall:futex,irq");
  EXPECT_EQ(selection.sched_events, (Names{"switch", "waking"}));
  EXPECT_EQ(selection.syscalls, (Names{"futex"}));
  EXPECT_EQ(selection.wanted.count(), 3u);
  EXPECT_EQ(Parsed("syscall:read,syscall:write").syscalls, (Names{"read", "write"}));
}

TEST(CategoryTest, StacksHaveParts) {
  EXPECT_EQ(Parsed("default,stack:off,wake").stack_parts, (Names{"off", "wake"}));
  EXPECT_EQ(Parsed("stack").stack_parts, Names{});
  EXPECT_EQ(DescribeCategories(Parsed("stack:on")), "stack:on");
  EXPECT_TRUE(Has(Refusal("stack:of"), "off, wake, on"));
}

TEST(CategoryTest, WholeCategoryIncludesAllParts) {
  EXPECT_EQ(Parsed("syscall:futex,syscall").syscalls, Names{});
  EXPECT_EQ(Parsed("syscall:futex,*").syscalls, Names{});
  EXPECT_EQ(Parsed("sched:*").sched_events, Names{});
}

TEST(CategoryTest, ReportsUnknownNamesWithTheKnownOnes) {
  EXPECT_TRUE(Has(Refusal("shed"), "no category 'shed'; did you mean 'sched'?"));
  EXPECT_TRUE(Has(Refusal("sched:swich"), "no scheduler event or category 'swich'"));
  EXPECT_TRUE(Has(Refusal("sched:swich"), "switch, waking"));
  EXPECT_TRUE(Has(Refusal("sched,,irq"), "an empty name"));
  EXPECT_TRUE(Has(Refusal("syscall:"), "syscall: without a name"));
  EXPECT_TRUE(Has(Refusal(""), "no category to record"));
  // A name after a group does not belong to the item before the group.
  EXPECT_TRUE(Has(Refusal("syscall:futex,all,read"), "no category 'read'"));
}

TEST(CategoryTest, DescribesASelectionInTheSyntaxOfTheOption) {
  for (const std::string list :
       {"sched,task,log", "sched:switch,waking,irq", "syscall:futex,read"}) {
    EXPECT_EQ(DescribeCategories(Parsed(list)), list);
  }
  EXPECT_EQ(DescribeCategories(DefaultCategories()), "sched,task,log,settings");
}

TEST(CategoryTest, MatchesTheNamesInTheSchema) {
  EXPECT_EQ(schema::CategoryName(FXR_CATEGORY_SCHED), schema::category::kSched);
  EXPECT_EQ(schema::CategoryName(FXR_CATEGORY_TASK), schema::category::kTask);
  EXPECT_EQ(schema::CategoryName(FXR_CATEGORY_LOG), schema::category::kLog);
}

}  // namespace
}  // namespace capture
