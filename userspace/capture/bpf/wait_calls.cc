// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/wait_calls.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "fxt_record/event.h"
#include "util/syscall_names.h"

namespace capture {
namespace {

struct WaitCall {
  const char* name;
  fxr_wait_call kind;
};

// Calls that name two files (splice, sendfile, copy_file_range) are not here: it is not known for
// which of them they wait.
constexpr WaitCall kWaitCalls[] = {
    {"read", FXR_CALL_READ_WRITE},
    {"write", FXR_CALL_READ_WRITE},
    {"readv", FXR_CALL_READ_WRITE},
    {"writev", FXR_CALL_READ_WRITE},
    {"pread64", FXR_CALL_READ_WRITE_AT},
    {"pwrite64", FXR_CALL_READ_WRITE_AT},
    {"preadv", FXR_CALL_READ_WRITE_AT},
    {"pwritev", FXR_CALL_READ_WRITE_AT},
    {"preadv2", FXR_CALL_READ_WRITE_AT},
    {"pwritev2", FXR_CALL_READ_WRITE_AT},
    {"fsync", FXR_CALL_DESCRIPTOR},
    {"fdatasync", FXR_CALL_DESCRIPTOR},
    {"sync_file_range", FXR_CALL_DESCRIPTOR},
    {"syncfs", FXR_CALL_DESCRIPTOR},
    {"fallocate", FXR_CALL_DESCRIPTOR},
    {"ftruncate", FXR_CALL_DESCRIPTOR},
    {"readahead", FXR_CALL_DESCRIPTOR},
    {"fadvise64", FXR_CALL_DESCRIPTOR},
    {"getdents", FXR_CALL_DESCRIPTOR},
    {"getdents64", FXR_CALL_DESCRIPTOR},
    {"fstat", FXR_CALL_DESCRIPTOR},
    {"fchmod", FXR_CALL_DESCRIPTOR},
    {"fchown", FXR_CALL_DESCRIPTOR},
    {"lseek", FXR_CALL_DESCRIPTOR},
    {"ioctl", FXR_CALL_DESCRIPTOR},
    {"accept", FXR_CALL_DESCRIPTOR},
    {"accept4", FXR_CALL_DESCRIPTOR},
    {"connect", FXR_CALL_DESCRIPTOR},
    {"recvfrom", FXR_CALL_DESCRIPTOR},
    {"recvmsg", FXR_CALL_DESCRIPTOR},
    {"recvmmsg", FXR_CALL_DESCRIPTOR},
    {"sendto", FXR_CALL_DESCRIPTOR},
    {"sendmsg", FXR_CALL_DESCRIPTOR},
    {"sendmmsg", FXR_CALL_DESCRIPTOR},
    {"shutdown", FXR_CALL_DESCRIPTOR},
    {"io_uring_enter", FXR_CALL_DESCRIPTOR},
    {"futex", FXR_CALL_FUTEX},
    {"futex_wait", FXR_CALL_FUTEX_WAIT},
    {"nanosleep", FXR_CALL_NANOSLEEP},
    {"clock_nanosleep", FXR_CALL_CLOCK_NANOSLEEP},
    {"poll", FXR_CALL_POLL},
    {"ppoll", FXR_CALL_PPOLL},
    {"select", FXR_CALL_SELECT},
    {"pselect6", FXR_CALL_PSELECT},
    {"epoll_wait", FXR_CALL_EPOLL_WAIT},
    {"epoll_pwait", FXR_CALL_EPOLL_WAIT},
    {"epoll_pwait2", FXR_CALL_EPOLL_PWAIT2},
    {"wait4", FXR_CALL_WAIT4},
    {"waitid", FXR_CALL_WAITID},
    {"flock", FXR_CALL_FLOCK},
    {"fcntl", FXR_CALL_FCNTL},
    {"pause", FXR_CALL_SIGNAL},
    {"rt_sigsuspend", FXR_CALL_SIGNAL},
    {"rt_sigtimedwait", FXR_CALL_SIGTIMEDWAIT},
};

}  // namespace

void FillRequestCalls(std::span<uint8_t> calls) {
  constexpr std::pair<const char*, fxr_request_call> kCalls[] = {
      {"read", FXR_REQUEST_CALL_BUFFER},
      {"recvfrom", FXR_REQUEST_CALL_BUFFER},
      {"readv", FXR_REQUEST_CALL_VECTOR},
      {"preadv2", FXR_REQUEST_CALL_VECTOR},
      {"recvmsg", FXR_REQUEST_CALL_MESSAGE},
      // The first message.
      {"recvmmsg", FXR_REQUEST_CALL_MESSAGE},
  };
  for (const auto& [name, kind] : kCalls) {
    const auto number = util::SyscallNumber(name);
    if (number && *number < calls.size()) calls[*number] = kind;
  }
}

void FillWaitCalls(std::span<uint8_t> calls) {
  for (const WaitCall& call : kWaitCalls) {
    const auto number = util::SyscallNumber(call.name);
    if (number && *number < calls.size()) calls[*number] = call.kind;
  }
}

uint32_t WaitPages() {
  constexpr uint32_t kMaxIds = 1u << 20;  // SINCE_ID_BITS
  constexpr uint32_t kIdsPerPage = 1u << 12;
  uint32_t ids = kMaxIds;
  std::ifstream limit("/proc/sys/kernel/pid_max");
  if (!(limit >> ids)) ids = kMaxIds;
  return (std::clamp(ids, 1u, kMaxIds) + kIdsPerPage - 1) / kIdsPerPage;
}

}  // namespace capture
