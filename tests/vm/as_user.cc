// SPDX-License-Identifier: BSD-2-Clause
// as_user UID CAPABILITIES PROGRAM [ARGUMENTS...]: runs a program as a user with only these
// capabilities (comma-separated names, or "none"). busybox has no such program, and a RAM disk has
// no file capabilities.
#include <grp.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Capability {
  const char* name;
  uint32_t number;  // linux/capability.h
};
constexpr Capability kCapabilities[] = {{"bpf", 39},       {"perfmon", 38},
                                        {"sys_admin", 21}, {"sys_resource", 24},
                                        {"syslog", 34},    {"dac_read_search", 2}};

int Fail(const char* what) {
  perror(what);
  return 125;
}

bool Parse(const std::string& list, std::vector<uint32_t>* numbers) {
  std::istringstream items(list);
  for (std::string item; std::getline(items, item, ',');) {
    if (item == "none") continue;
    bool found = false;
    for (const Capability& capability : kCapabilities) {
      if (item != capability.name) continue;
      numbers->push_back(capability.number);
      found = true;
    }
    if (!found) {
      fprintf(stderr, "as_user: unknown capability %s\n", item.c_str());
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<uint32_t> numbers;
  if (argc < 4) {
    fprintf(stderr, "usage: as_user UID CAPABILITIES PROGRAM [ARGUMENTS...]\n");
    return 125;
  }
  if (!Parse(argv[2], &numbers)) return 125;
  const auto uid = static_cast<uid_t>(strtoul(argv[1], nullptr, 10));
  if (prctl(PR_SET_KEEPCAPS, 1) != 0) return Fail("as_user: keep capabilities");
  if (setgroups(0, nullptr) != 0 || setresgid(uid, uid, uid) != 0 ||
      setresuid(uid, uid, uid) != 0) {
    return Fail("as_user: become the user");
  }
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  for (uint32_t number : numbers) data[number / 32].permitted |= 1U << number % 32;
  for (auto& word : data) word.effective = word.inheritable = word.permitted;
  if (syscall(SYS_capset, &header, data) != 0) return Fail("as_user: set capabilities");
  for (uint32_t number : numbers) {
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, number, 0, 0) != 0) {
      return Fail("as_user: hand capabilities on");
    }
  }
  // Without this the process is not dumpable after the change of user, and root would own its
  // /proc.
  prctl(PR_SET_DUMPABLE, 1);
  execvp(argv[3], argv + 3);
  return Fail(argv[3]);
}
