// SPDX-License-Identifier: BSD-2-Clause
#include "perf/live/perf_syscalls.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace perf {

namespace {

class Kernel : public PerfSyscalls {
 public:
  OpenedEvent Open(const perf_event_attr& attr, int cpu) override {
    constexpr int kEveryTask = -1;
    constexpr int kNoGroup = -1;
    perf_event_attr copy = attr;  // the kernel writes its own size there on E2BIG
    const long fd =
        syscall(SYS_perf_event_open, &copy, kEveryTask, cpu, kNoGroup, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0) return {util::UniqueFd(), errno};
    return {util::UniqueFd(static_cast<int>(fd)), 0};
  }
  void* Map(int fd, size_t bytes, int* error) override {
    void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (address != MAP_FAILED) return address;
    *error = errno;
    return nullptr;
  }
  void Unmap(void* address, size_t bytes) override { munmap(address, bytes); }
  int Enable(int fd) override { return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == 0 ? 0 : errno; }
  int Disable(int fd) override { return ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) == 0 ? 0 : errno; }
  int SetFilter(int fd, const char* filter) override {
    return ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) == 0 ? 0 : errno;
  }
  int SetOutput(int fd, int ring_fd) override {
    return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring_fd) == 0 ? 0 : errno;
  }
  int SetProgram(int fd, int program_fd) override {
    return ioctl(fd, PERF_EVENT_IOC_SET_BPF, program_fd) == 0 ? 0 : errno;
  }
  bool ReadLost(int fd, uint64_t* lost) override {
    uint64_t values[2];  // value, lost
    if (read(fd, values, sizeof(values)) != static_cast<ssize_t>(sizeof(values))) return false;
    *lost = values[1];
    return true;
  }
};

}  // namespace

PerfSyscalls& RunningKernel() {
  static Kernel kernel;
  return kernel;
}

}  // namespace perf
