// SPDX-License-Identifier: BSD-2-Clause
#include "capture/cgroup_tree.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/temp_folder.h"

namespace capture {
namespace {

TEST(CgroupTreeTest, MountsAreFoundByVersionAndController) {
  const testing_support::TempFolder folder;
  std::filesystem::create_directories(folder.path().string() + "/self");
  std::ofstream(folder.path().string() + "/self/mountinfo")
      << "20 1 0:20 / /proc rw - proc proc rw\n"
         "30 1 0:30 / /cg/cpuset rw,nosuid shared:9 - cgroup cgroup rw,cpuset\n"
         "31 1 0:31 / /cg/cpu rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
         "32 1 0:32 / /cg/unified rw - cgroup2 cgroup2 rw,nsdelegate\n";
  EXPECT_EQ(FindCgroupMount(folder.path().string()), "/cg/unified");
  EXPECT_EQ(FindCgroupMount(folder.path().string(), "cpu"), "/cg/cpu");
  EXPECT_EQ(FindCgroupMount(folder.path().string(), "memory"), "");
  EXPECT_EQ(FindCgroupMount(folder.path().string() + "/absent"), "");
}

TEST(CgroupTreeTest, WithoutAMountNoGroupHasAPath) {
  EXPECT_EQ(CgroupTree("").PathOf(1), "");
  EXPECT_EQ(CgroupTree("/absent").PathOf(1), "");
}

}  // namespace
}  // namespace capture
