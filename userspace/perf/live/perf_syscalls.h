// SPDX-License-Identifier: BSD-2-Clause
// An interface to the kernel's perf system calls, which tests replace.
#pragma once

#include <cstddef>
#include <cstdint>

#include "perf/record/perf_abi.h"
#include "util/unique_fd.h"

namespace perf {

// A descriptor, or the errno of the failed call.
struct OpenedEvent {
  util::UniqueFd fd;
  int error = 0;  // errno
};

class PerfSyscalls {
 public:
  virtual ~PerfSyscalls() = default;
  // perf_event_open(2) for every task on `cpu`, with PERF_FLAG_FD_CLOEXEC.
  virtual OpenedEvent Open(const perf_event_attr& attr, int cpu) = 0;
  // mmap(2) of the ring, control page first. Null and errno on failure.
  virtual void* Map(int fd, size_t bytes, int* error) = 0;
  virtual void Unmap(void* address, size_t bytes) = 0;
  // PERF_EVENT_IOC_ENABLE and DISABLE; 0 or errno.
  virtual int Enable(int fd) = 0;
  virtual int Disable(int fd) = 0;
  // PERF_EVENT_IOC_SET_FILTER of a tracepoint; 0 or errno.
  virtual int SetFilter(int fd, const char* filter) = 0;
  // PERF_EVENT_IOC_SET_OUTPUT: redirects records to the ring of `ring_fd`, of the same CPU.
  virtual int SetOutput(int fd, int ring_fd) = 0;
  // PERF_EVENT_IOC_SET_BPF: the program runs at each sample; 0 or errno.
  virtual int SetProgram(int fd, int program_fd) = 0;
  // read(2) of the counter with PERF_FORMAT_LOST: records that did not fit the ring. False if it
  // cannot be read.
  virtual bool ReadLost(int fd, uint64_t* lost) = 0;
};

// The running kernel; stateless.
PerfSyscalls& RunningKernel();

}  // namespace perf
