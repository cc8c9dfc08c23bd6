// SPDX-License-Identifier: BSD-2-Clause
// The parts KernelMessage and Script, which runs all parts.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <functional>

#include "util/unique_fd.h"
#include "workload/child.h"
#include "workload/workload.h"

namespace workload {

int KernelMessage(const std::string& text) {
  // The kernel holds a message without a newline back.
  const std::string line = text + "\n";
  util::UniqueFd log(open("/dev/kmsg", O_WRONLY | O_CLOEXEC));
  if (!log || write(log.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    const int error = errno;
    printf("kmsg bytes=%zu result=%s\n", text.size(), ErrnoName(error).c_str());
    fprintf(stderr, "workload: cannot write to /dev/kmsg: %s\n", ErrnoName(error).c_str());
    return 1;
  }
  printf("kmsg bytes=%zu result=ok\n", text.size());
  return 0;
}

int Script(uint32_t rounds) {
  struct Part {
    const char* name;
    std::function<int()> run;
  };
  const Part parts[] = {
      {"pingpong", [] { return PingPong({.count = 200}); }},
      {"forkstorm", [] { return ForkStorm({.count = 40, .parallel = 4}); }},
      {"forkstorm", [] { return ForkStorm({.count = 10, .parallel = 2, .exec = true}); }},
      {"messaging", [] { return Messaging({.groups = 1, .pairs = 3, .count = 20}); }},
      {"renames", [] { return Renames(); }},
      {"priorities", [] { return Priorities(); }},
      {"stopcont", [] { return StopContinue(); }},
      {"hostile-names", [] { return HostileNames(); }},
      {"threads", [] { return Threads(20); }},
      // Without root /dev/kmsg is not writable, which is not a failure.
      {"kmsg",
       [] { return access("/dev/kmsg", W_OK) == 0 ? KernelMessage("workload: hello") : 0; }},
  };
  int status = 0;
  for (uint32_t round = 0; round < rounds; ++round) {
    for (const Part& part : parts) {
      const int part_status = part.run();
      printf("script round=%u part=%s status=%d\n", round, part.name, part_status);
      if (part_status != 0) status = part_status;
    }
  }
  return status;
}

}  // namespace workload
