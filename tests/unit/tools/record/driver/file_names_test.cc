// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/driver/file_names.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temp_folder.h"

namespace tools {
namespace {

FileNames Names(const std::string& path) {
  auto pattern = output::NamePattern::Parse(path);
  EXPECT_TRUE(pattern.ok());
  return FileNames(std::move(*pattern));
}

TEST(FileNamesTest, ContinuesAfterTheHighestExistingNumber) {
  const testing_support::TempFolder folder;
  FileNames names = Names(folder / "spike-%n.fxt");
  EXPECT_EQ(names.Next(), folder / "spike-1.fxt");
  for (const char* existing : {"spike-4.fxt", "spike-9.fxt.old", "spike-99999999999.fxt", "x"}) {
    std::ofstream(folder / existing) << "x";
  }
  names.ContinueNumbers();
  EXPECT_EQ(names.Next(), folder / "spike-5.fxt");
  names.ContinueNumbers();
  EXPECT_EQ(names.Next(), folder / "spike-6.fxt") << "numbers are given once";
}

TEST(FileNamesTest, GivesTwoFilesOfOneSecondDifferentNames) {
  FileNames names = Names("a-%h.fxt");
  const std::string first = names.Next();
  EXPECT_NE(names.Next(), first);
}

}  // namespace
}  // namespace tools
