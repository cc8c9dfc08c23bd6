// SPDX-License-Identifier: BSD-2-Clause
// Runs the capture tests. --could-capture prints whether this machine can record, and exits with 0
// if it can.
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
  // In another mount namespace the path of the program would be that outside of a chroot.
  truth::BuildDirectory();
  // Mounts of the tests are private and end with the process.
  if (unshare(CLONE_NEWNS) == 0) mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  return RUN_ALL_TESTS();
}
