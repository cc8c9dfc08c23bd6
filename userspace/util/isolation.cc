// SPDX-License-Identifier: BSD-2-Clause
#include "util/isolation.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace util {
namespace {

constexpr uid_t kNobody = 65534;

// Calls that need no more than what the process has. System calls of glibc's allocator, libelf and
// the C++ library.
constexpr int kAlways[] = {SCMP_SYS(read),
                           SCMP_SYS(pread64),
                           SCMP_SYS(readv),
                           SCMP_SYS(write),
                           SCMP_SYS(pwrite64),
                           SCMP_SYS(writev),
                           SCMP_SYS(close),
                           SCMP_SYS(lseek),
                           SCMP_SYS(fstat),
                           SCMP_SYS(fcntl),
                           SCMP_SYS(ftruncate),
                           SCMP_SYS(memfd_create),
                           SCMP_SYS(recvmsg),
                           SCMP_SYS(sendmsg),
                           SCMP_SYS(poll),
                           SCMP_SYS(ppoll),
                           SCMP_SYS(brk),
                           SCMP_SYS(munmap),
                           SCMP_SYS(mremap),
                           SCMP_SYS(madvise),
                           SCMP_SYS(futex),
                           SCMP_SYS(exit),
                           SCMP_SYS(exit_group),
                           SCMP_SYS(rt_sigreturn),
                           SCMP_SYS(rt_sigprocmask),
                           SCMP_SYS(rt_sigaction),
                           SCMP_SYS(clock_gettime),
                           SCMP_SYS(getrandom),
                           SCMP_SYS(getpid),
                           SCMP_SYS(gettid),
                           SCMP_SYS(sched_yield),
                           SCMP_SYS(restart_syscall),
                           SCMP_SYS(newfstatat)};
constexpr int kFiles[] = {SCMP_SYS(statx),    SCMP_SYS(stat),       SCMP_SYS(lstat),
                          SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getdents64),
                          SCMP_SYS(access),   SCMP_SYS(faccessat),  SCMP_SYS(faccessat2),
                          SCMP_SYS(geteuid),  SCMP_SYS(getuid),     SCMP_SYS(getegid),
                          SCMP_SYS(getgid),   SCMP_SYS(statfs),     SCMP_SYS(fstatfs)};
// Any of these bits of open() would change a file. O_TMPFILE needs one of the first two.
constexpr uint64_t kChanging = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;

Error Failed(const char* what, int error) {
  return {std::string("cannot isolate a process: ") + what + ": " + strerror(error), ""};
}

Status DropCapabilities(std::span<const uint32_t> kept) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (syscall(SYS_capget, &header, sets.data()) != 0) return Failed("capget", errno);
  uint64_t wanted = 0;
  for (const uint32_t number : kept) wanted |= uint64_t{1} << number;
  for (uint32_t word = 0; word < sets.size(); ++word) {
    sets[word].permitted &= static_cast<uint32_t>(wanted >> (32 * word));
    sets[word].effective = sets[word].permitted;
    sets[word].inheritable = 0;
  }
  if (syscall(SYS_capset, &header, sets.data()) != 0) return Failed("capset", errno);
  return Ok();
}

Status RefuseOtherCalls(Rights rights) {
  const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)),
                                                                seccomp_release);
  if (!filter) return Failed("seccomp", ENOMEM);
  int error = 0;
  const auto allow = [&](int number) {
    if (error == 0) error = seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, number, 0);
  };
  std::ranges::for_each(kAlways, allow);
  if (rights == Rights::kReadFiles) {
    std::ranges::for_each(kFiles, allow);
    if (error == 0) {
      error = seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
                               SCMP_A2(SCMP_CMP_MASKED_EQ, kChanging, 0));
    }
    if (error == 0) {
      error = seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, SCMP_SYS(open), 1,
                               SCMP_A1(SCMP_CMP_MASKED_EQ, kChanging, 0));
    }
  }
  for (const int number : {SCMP_SYS(mmap), SCMP_SYS(mprotect)}) {
    if (error == 0) {
      error = seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, number, 1,
                               SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    }
  }
  // Not on a kernel without seccomp: the process has no rights already.
  if (error == 0) error = seccomp_load(filter.get());
  if (error != 0 && error != -EINVAL && error != -ENOSYS) return Failed("seccomp", -error);
  return Ok();
}

}  // namespace

Status LeaveOnly(Rights rights) {
  if (rights == Rights::kDescriptors) {
    // Other processes of this user may not trace this one.
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (geteuid() == 0) {
      // In a user namespace that has no such ids the process keeps its own, without capabilities.
      if (setgroups(0, nullptr) == 0 && setresgid(kNobody, kNobody, kNobody) == 0 &&
          setresuid(kNobody, kNobody, kNobody) != 0) {
        return Failed("setresuid", errno);
      }
    }
    if (auto status = DropCapabilities({}); !status) return status;
  } else {
    constexpr uint32_t kKept[] = {CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE, CAP_SYSLOG};
    if (auto status = DropCapabilities(kKept); !status) return status;
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return Failed("no_new_privs", errno);
  return kIsSanitized ? Ok() : RefuseOtherCalls(rights);
}

void CloseAllBut(std::span<const int> kept) {
  std::vector<int> sorted(kept.begin(), kept.end());
  std::ranges::sort(sorted);
  unsigned first = 0;
  const auto close_up_to = [](unsigned from, unsigned last) {
    if (from > last || syscall(SYS_close_range, from, last, 0) == 0) return;
    // Before Linux 5.9.
    const auto end = static_cast<unsigned>(sysconf(_SC_OPEN_MAX));
    for (unsigned fd = from; fd <= last && fd < end; ++fd) close(static_cast<int>(fd));
  };
  for (const int fd : sorted) {
    if (fd < 0) continue;
    if (static_cast<unsigned>(fd) > first) close_up_to(first, static_cast<unsigned>(fd) - 1);
    first = static_cast<unsigned>(fd) + 1;
  }
  close_up_to(first, ~0U);
}

}  // namespace util
