// SPDX-License-Identifier: BSD-2-Clause
// Runs the capture tests. With --could-capture only says, by its exit code and one line, whether
// this machine could: so that a run in which all of them were skipped can be told from one that had
// no choice.
#include <gtest/gtest.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

#include "capture/support/environment.h"

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "--could-capture") == 0) {
    const std::string why_not = truth::WhyNoCapture();
    printf("%s\n", why_not.empty() ? "yes" : why_not.c_str());
    return why_not.empty() ? 0 : 1;
  }
  testing::InitGoogleTest(&argc, argv);
  // From another mount namespace the program's own path would be that outside of a chroot.
  truth::BuildDirectory();
  // What the tests mount is theirs alone, and gone with them however they end.
  if (unshare(CLONE_NEWNS) == 0) mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  return RUN_ALL_TESTS();
}
