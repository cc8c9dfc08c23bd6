// SPDX-License-Identifier: BSD-2-Clause
#include "capture/proc_identity.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "unit/perf/fake_root.h"

namespace capture {
namespace {

using perf::testing::FakeRoot;

class ProcIdentityTest : public ::testing::Test {
 protected:
  // As things are in the folder now.
  ProcIdentity Identity() const { return ProcIdentity(At("/proc"), At("/sys")); }
  std::string At(const std::string& path) const { return root_.path() + path; }
  void Link(const std::string& target, const std::string& path) {
    std::filesystem::create_directories(std::filesystem::path(At(path)).parent_path());
    std::filesystem::create_symlink(target, At(path));
  }

  FakeRoot root_;
};

TEST_F(ProcIdentityTest, NamesAProcess) {
  Link("/usr/bin/postgres", "/proc/17/exe");
  root_.File("/proc/17/cmdline", std::string("postgres:\0-D\0/data\0", 19));
  const model::ProcessText text = Identity().TextOf(17);
  EXPECT_EQ(text.executable, "postgres");
  EXPECT_EQ(text.cmdline.text, "postgres: -D /data");
  EXPECT_EQ(text.cmdline.length, 0u) << "the whole of it";
}

TEST_F(ProcIdentityTest, AnUpgradedProgramKeepsItsName) {
  Link("/opt/a b/server (deleted)", "/proc/18/exe");
  EXPECT_EQ(Identity().TextOf(18).executable, "server");
}

TEST_F(ProcIdentityTest, ReturnsNothingForKernelThreadsAndExitedProcesses) {
  root_.File("/proc/2/cmdline", "");
  for (const uint32_t number : {2u, 999u}) {
    const model::ProcessText text = Identity().TextOf(number);
    EXPECT_EQ(text.executable, "") << number;
    EXPECT_EQ(text.cmdline.text, "") << number;
  }
}

TEST_F(ProcIdentityTest, ReportsTheLengthOfLongCommandLines) {
  const std::string bytes(10'000, 'x');
  root_.File("/proc/19/cmdline", bytes + '\0');
  const model::CommandLine line = Identity().TextOf(19).cmdline;
  EXPECT_EQ(line.text, bytes.substr(0, model::kMaxCommandLineBytes));
  EXPECT_GE(line.length, bytes.size());
}

TEST_F(ProcIdentityTest, CountsPidNamespaceLevels) {
  EXPECT_EQ(Identity().OwnNumbers(), 0u) << "not in this /proc";
  root_.File("/proc/self/status", "Name:\tx\n");
  EXPECT_EQ(Identity().OwnNumbers(), 1u) << "a kernel without namespaces";
  root_.File("/proc/self/status", "Name:\tx\nNSpid:\t4711\n");
  EXPECT_EQ(Identity().OwnNumbers(), 1u);
  root_.File("/proc/self/status", "Name:\tx\nNSpid:\t4711\t12\t1\nNSsid:\t1\n");
  EXPECT_EQ(Identity().OwnNumbers(), 3u);
}

TEST_F(ProcIdentityTest, NamesInterruptsByTheirHandlers) {
  root_.File("/sys/kernel/irq/24/actions", "ahci[0000:00:1f.2],nvme0q1\n");
  root_.File("/sys/kernel/irq/25/actions", "\n");
  EXPECT_EQ(Identity().IrqName(24), "ahci[0000:00:1f.2],nvme0q1");
  EXPECT_EQ(Identity().IrqName(25), "");
  EXPECT_EQ(Identity().IrqName(26), "");
}

TEST_F(ProcIdentityTest, ReadsTheExecutableOfAProcess) {
  root_.File("/proc/20/maps",
             "55d0c0000000-55d0c0010000 r--p 00000000 08:01 11 /usr/bin/a\n"
             "55d0c0010000-55d0c0030000 r-xp 00010000 08:01 11 /usr/bin/a\n"
             "7f0000000000-7f0000001000 rwxp 00000000 00:00 0\n"
             "7f0000002000-7f0000003000 r-xp 00000000 00:00 0 /tmp/with a blank (deleted)\n"
             "7ffc00000000-7ffc00002000 r-xp 00000000 00:00 0 [vdso]\n"
             "7ffc00002000-7ffc00002000 r-xp 00000000 00:00 0 /no/bytes\n"
             "not a line of it\n");
  const auto mappings = Identity().MappingsOf(20);
  ASSERT_EQ(mappings.size(), 3u);
  EXPECT_EQ(mappings[0].start, 0x55d0c0010000u);
  EXPECT_EQ(mappings[0].size, 0x20000u);
  EXPECT_EQ(mappings[0].file_offset, 0x10000u);
  EXPECT_EQ(mappings[0].file, "/usr/bin/a");
  EXPECT_TRUE(mappings[0].build_id.empty()) << "no such file under its root";
  EXPECT_EQ(mappings[1].file, "/tmp/with a blank (deleted)");
  EXPECT_EQ(mappings[2].file, "[vdso]");
  EXPECT_TRUE(Identity().MappingsOf(21).empty());
}

TEST_F(ProcIdentityTest, ReadsBuildIdsThroughTheProcessRoot) {
  // Two containers with different programs at the same path.
  for (const auto& [process, program] : {std::pair("22", "/proc/self/exe"), {"23", "/bin/sh"}}) {
    const std::string folder = At(std::string("/proc/") + process);
    std::filesystem::create_directories(folder + "/root/app");
    const std::string copy = folder + "/root/app/server";
    std::filesystem::copy_file(program, copy);
    struct stat status {};
    ASSERT_EQ(stat(copy.c_str(), &status), 0);
    root_.File(std::string("/proc/") + process + "/maps",
               "1000-2000 r-xp 00000000 08:01 " + std::to_string(status.st_ino) + " /app/server\n");
  }
  ProcIdentity identity = Identity();
  const auto first = identity.MappingsOf(22);
  const auto second = identity.MappingsOf(23);
  ASSERT_EQ(first.size(), 1u);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_FALSE(first[0].build_id.empty());
  EXPECT_FALSE(second[0].build_id.empty());
  EXPECT_NE(first[0].build_id, second[0].build_id);
}

TEST_F(ProcIdentityTest, ReturnsNoPathWithoutACgroupMount) {
  root_.File("/proc/self/mountinfo", "22 1 0:20 / /proc rw - proc proc rw\n");
  ProcIdentity identity = Identity();
  EXPECT_EQ(identity.CgroupPath(1), "");
  EXPECT_EQ(identity.CgroupId("/"), std::nullopt);
}

TEST_F(ProcIdentityTest, FindsTheKernelTextBySymbols) {
  EXPECT_TRUE(Identity().KernelMappings().empty());
  root_.File("/proc/kallsyms",
             "ffffffff81000000 T _stext\nffffffff81000000 T _text\nffffffff81000100 t do_one\n"
             "ffffffff82000000 T _etext\n");
  const auto mappings = Identity().KernelMappings();
  ASSERT_EQ(mappings.size(), 1u);
  EXPECT_EQ(mappings[0].start, 0xffffffff81000000u);
  EXPECT_EQ(mappings[0].size, 0x1000000u);
  EXPECT_EQ(mappings[0].file, "[kernel.kallsyms]_text");
}

}  // namespace
}  // namespace capture
