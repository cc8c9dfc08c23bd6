// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/command_tree.h"

#include <gtest/gtest.h>

namespace measure {
namespace {

TEST(CommandTreeTest, HasAllDescendantsOfTheCommand) {
  CommandTree tree;
  tree.NoteFork(1, 5);
  EXPECT_FALSE(tree.Contains(1)) << "without a command nothing is";
  tree.SetCommand(10);
  tree.NoteFork(10, 11);
  tree.NoteFork(11, 12);
  tree.NoteParent(13, 12);
  tree.NoteFork(2, 14);
  for (const fxt::Koid koid : {10, 11, 12, 13}) EXPECT_TRUE(tree.Contains(koid)) << koid;
  for (const fxt::Koid koid : {1, 2, 5, 14}) EXPECT_FALSE(tree.Contains(koid)) << koid;
}

}  // namespace
}  // namespace measure
