// SPDX-License-Identifier: BSD-2-Clause
#include "model/process_name.h"

#include <gtest/gtest.h>

namespace model {
namespace {

TEST(ProcessNameTest, IsTheLeadersComm) {
  EXPECT_EQ(ChooseProcessName("bash", "bash", "bash -c true"), "bash");
  // The name a program gave itself.
  EXPECT_EQ(ChooseProcessName("nginx-worker", "nginx", "nginx: worker"), "nginx-worker");
  // A multi-call program.
  EXPECT_EQ(ChooseProcessName("sh", "busybox", "sh"), "sh");
}

TEST(ProcessNameTest, IsWholeWhereCommIsCut) {
  EXPECT_EQ(ChooseProcessName("gnome-terminal-", "gnome-terminal-server", ""),
            "gnome-terminal-server");
  EXPECT_EQ(
      ChooseProcessName("systemd-journal", "systemd-journald", "/lib/systemd/systemd-journald"),
      "systemd-journald");
}

TEST(ProcessNameTest, TakesTheWholeNameFromTheCommandLine) {
  EXPECT_EQ(ChooseProcessName("long-script-nam", "python3.11", "/opt/bin/long-script-name --x"),
            "long-script-name");
}

TEST(ProcessNameTest, AnotherNameIsNotTheWholeOfIt) {
  EXPECT_EQ(ChooseProcessName("exactly15bytes!", "something-else-entirely", "other -x"),
            "exactly15bytes!");
  EXPECT_EQ(ChooseProcessName("exactly15bytes!", "exactly15bytes!", ""), "exactly15bytes!");
  // A short name is whole, whatever begins like it.
  EXPECT_EQ(ChooseProcessName("java", "java-17", "java-17"), "java");
}

TEST(ProcessNameTest, WithoutACommItIsTheProgram) {
  EXPECT_EQ(ChooseProcessName("", "prog", "/bin/other"), "prog");
  EXPECT_EQ(ChooseProcessName("", "", "/bin/other arg"), "other");
  EXPECT_EQ(ChooseProcessName("", "", ""), "");
}

TEST(ProcessNameTest, AcceptsArbitraryBytes) {
  EXPECT_EQ(ChooseProcessName("\xff\n\x1b[31m", "x", "/"), "\xff\n\x1b[31m");
  EXPECT_EQ(ChooseProcessName("fifteen-bytes-/", "", "/////"), "fifteen-bytes-/");
  EXPECT_EQ(ChooseProcessName("", "", " / "), "");
}

}  // namespace
}  // namespace model
