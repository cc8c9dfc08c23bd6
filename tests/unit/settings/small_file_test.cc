// SPDX-License-Identifier: BSD-2-Clause
#include "settings/small_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/temp_folder.h"

namespace settings {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SmallFileTest, ReadsWithoutTheLineEnd) {
  const testing_support::TempFolder folder;
  folder.Write("a", "text of a file \n\n");
  EXPECT_EQ(ReadFile(folder / "a"), "text of a file");
  EXPECT_EQ(ReadFile(folder / "a", 4), "text");
  EXPECT_EQ(ReadFile(folder / "b"), std::nullopt);
  EXPECT_EQ(ReadFile(folder.path()), std::nullopt);
}

TEST(SmallFileTest, ListsAFolder) {
  const testing_support::TempFolder folder;
  for (const char* name : {"c", "a", ".hidden", "b"}) folder.Write(name, "");
  EXPECT_THAT(ListFolder(folder.path(), 10), ElementsAre("a", "b", "c"));
  EXPECT_EQ(ListFolder(folder.path(), 2).size(), 2U);
  EXPECT_THAT(ListFolder(folder / "none", 10), IsEmpty());
}

TEST(SmallFileTest, DistinguishesNumbersFromTexts) {
  EXPECT_EQ(ValueOf("60"), schema::SettingValue(int64_t{60}));
  EXPECT_EQ(ValueOf("-1"), schema::SettingValue(int64_t{-1}));
  for (const char* text : {"", "007", "1 2", "max", "99999999999999999999", "+5"}) {
    EXPECT_EQ(ValueOf(text), schema::SettingValue(std::string(text)));
  }
}

TEST(SmallFileTest, FindsTheChoice) {
  EXPECT_EQ(ChoiceIn("always [madvise] never"), "madvise");
  EXPECT_EQ(ChoiceIn("none voluntary (full)"), "full");
  EXPECT_EQ(ChoiceIn("none"), "none");
  EXPECT_EQ(ChoiceIn("]["), "][");
}

}  // namespace
}  // namespace settings
