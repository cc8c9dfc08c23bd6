// SPDX-License-Identifier: BSD-2-Clause
#include "settings/cgroup_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/temp_folder.h"

namespace settings {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using testing_support::TempFolder;

class CgroupReaderTest : public ::testing::Test {
 protected:
  CgroupReader Reader(const std::string& mounts) {
    folder_.Write("proc/self/mountinfo", mounts);
    return CgroupReader({.proc = folder_ / "proc", .sys = "", .boot = ""});
  }
  std::string Mount(const std::string& name, const std::string& type, const std::string& options) {
    return "31 23 0:27 / " + folder_ / "" + name + " rw - " + type + " none " + options + "\n";
  }

  TempFolder folder_;
};

TEST_F(CgroupReaderTest, ReadsVersionTwo) {
  folder_.Write("cg/a/b/cpu.max", "30000 100000\n");
  folder_.Write("cg/a/b/cpu.weight", "100\n");
  folder_.Write("cg/a/b/io.max", "254:0 rbps=1 wbps=max\n254:16 rbps=2 wbps=max\n");
  folder_.Write("cg/a/b/io.latency", "");
  const CgroupReader reader = Reader(Mount("cg", "cgroup2", "rw"));
  EXPECT_THAT(reader.GroupsOf("0::/a/b\n"), ElementsAre("/a/b", "/a", "/"));
  EXPECT_EQ(reader.OwnGroupsOf("0::/a/b\n"), "/a/b");
  const schema::Settings settings = reader.Read("/a/b");
  EXPECT_EQ(settings.subject, "/a/b");
  EXPECT_THAT(
      settings.values,
      UnorderedElementsAre(
          schema::Setting("cpu.max", "30000 100000"), schema::Setting("cpu.weight", int64_t{100}),
          schema::Setting("io.max", "254:0 rbps=1 wbps=max;254:16 rbps=2 wbps=max")));
  EXPECT_THAT(reader.Read("/gone").values, IsEmpty());
}

TEST_F(CgroupReaderTest, ReadsControllersOfVersionOne) {
  folder_.Write("cpu/x/cpu.cfs_quota_us", "-1\n");
  folder_.Write("cpu/x/cpu.shares", "1024\n");
  folder_.Write("memory/y/memory.limit_in_bytes", "4096\n");
  const CgroupReader reader =
      Reader(Mount("cpu", "cgroup", "rw,cpu,cpuacct") + Mount("memory", "cgroup", "rw,memory") +
             Mount("devices", "cgroup", "rw,devices"));
  const std::string own = "5:devices:/\n4:memory:/y\n2:cpu,cpuacct:/x\n0::/z\n";
  EXPECT_THAT(reader.GroupsOf(own), ElementsAre("memory:/y", "memory:/", "cpu:/x", "cpu:/"));
  EXPECT_EQ(reader.OwnGroupsOf(own), "cpu:/x;memory:/y");
  EXPECT_THAT(reader.Read("cpu:/x").values,
              UnorderedElementsAre(schema::Setting("cpu.cfs_quota_us", int64_t{-1}),
                                   schema::Setting("cpu.shares", int64_t{1024})));
  EXPECT_THAT(reader.Read("memory:/y").values,
              ElementsAre(schema::Setting("memory.limit_in_bytes", int64_t{4096})));
}

TEST_F(CgroupReaderTest, AGroupOutsideOfTheNamespaceIsLeftOut) {
  const CgroupReader reader = Reader(Mount("cg", "cgroup2", "rw"));
  EXPECT_THAT(reader.GroupsOf("0::/../other\n"), IsEmpty());
  EXPECT_THAT(reader.GroupsOf("no such line\n::\n"), IsEmpty());
}

}  // namespace
}  // namespace settings
