// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/process/privileges.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace tools {
namespace {

uint64_t SetOf(const std::string& name) {
  std::ifstream status("/proc/thread-self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::stoull(line.substr(name.size() + 1), nullptr, 16);
  }
  return UINT64_MAX;
}

// In a process of its own: capabilities do not come back.
int RunInChild(int (*check)()) {
  const pid_t pid = fork();
  if (pid == 0) _exit(check());
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(PrivilegesTest, KeepsTheNamedCapabilitiesAndNoOthers) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  const int result = RunInChild([] {
    constexpr uint64_t kSetuid = uint64_t{1} << 7;
    const uint64_t before = SetOf("CapPrm");
    if (!KeepOnly({{7, "setuid", ""}})) return 1;
    const uint64_t expected = before & kSetuid;
    if (SetOf("CapPrm") != expected || SetOf("CapEff") != expected) return 2;
    if ((SetOf("CapBnd") & ~kSetuid) != 0) return 3;
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) return 4;
    return 0;
  });
  EXPECT_EQ(result, 0);
}

TEST(PrivilegesTest, TheServiceDropsUnusedCapabilities) {
  constexpr uint32_t kNetAdmin = 12, kSysModule = 16, kSysRawio = 17, kSysBoot = 22, kMknod = 27;
  for (const KeptCapability& each : ServiceCapabilities()) {
    for (const uint32_t unused : {kNetAdmin, kSysModule, kSysRawio, kSysBoot, kMknod}) {
      EXPECT_NE(each.number, unused) << each.name;
    }
  }
}

}  // namespace
}  // namespace tools
