// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/process/privileges.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

// Missing in the headers of older systems.
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif

namespace tools {
namespace {

constexpr uint32_t kMaxCapability = 63;

util::Error Failed(const char* what) {
  return {fmt::format("cannot drop capabilities: {}: {}", what, strerror(errno)), ""};
}

}  // namespace

std::vector<KeptCapability> ServiceCapabilities() {
  return {
      {CAP_BPF, "bpf", "load the programs and maps of a session"},
      {CAP_PERFMON, "perfmon", "attach tracing programs, open performance events"},
      {CAP_SYSLOG, "syslog", "read kernel addresses, and /dev/kmsg for the trigger 'dmesg'"},
      {CAP_SYS_PTRACE, "sys_ptrace", "read /proc of other users' processes"},
      {CAP_DAC_READ_SEARCH, "dac_read_search", "read other users' binaries, resolve cgroup ids"},
      {CAP_DAC_OVERRIDE, "dac_override", "write trigger files into the directory of -o"},
      {CAP_CHOWN, "chown", "give a file, and the socket, the owner and group they shall have"},
      {CAP_FOWNER, "fowner", "set the mode of such a file, replace it"},
      {CAP_SETUID, "setuid", "write the output of a client as that user"},
      {CAP_SETGID, "setgid", "write the output of a client as that user"},
      {CAP_KILL, "kill", "end a process that writes as a client for too long"},
      {CAP_SYS_NICE, "sys_nice", "real-time priority of the thread that records"},
      {CAP_SYS_RESOURCE, "sys_resource", "raise the limits on descriptors and locked memory"},
      {CAP_IPC_LOCK, "ipc_lock", "map perf's rings"},
      // perf_uprobe_event_init() accepts no other.
      {CAP_SYS_ADMIN, "sys_admin", "place uprobes; before Linux 5.8 also bpf and perfmon"},
  };
}

util::Status KeepOnly(const std::vector<KeptCapability>& kept) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (syscall(SYS_capget, &header, sets.data()) != 0) return Failed("capget");
  uint64_t wanted = 0;
  for (const KeptCapability& each : kept) wanted |= uint64_t{1} << each.number;
  // The bounding set takes CAP_SETPCAP, which goes last.
  for (uint32_t number = 0; number <= kMaxCapability; ++number) {
    if ((wanted >> number & 1) != 0 || prctl(PR_CAPBSET_READ, number, 0, 0, 0) != 1) continue;
    if (prctl(PR_CAPBSET_DROP, number, 0, 0, 0) != 0 && errno != EPERM) return Failed("prctl");
  }
  for (uint32_t word = 0; word < sets.size(); ++word) {
    const auto mask = static_cast<uint32_t>(wanted >> (32 * word));
    sets[word].permitted &= mask;
    sets[word].effective = sets[word].permitted;
    sets[word].inheritable = 0;
  }
  if (syscall(SYS_capset, &header, sets.data()) != 0) return Failed("capset");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return Failed("no_new_privs");
  return util::Ok();
}

}  // namespace tools
