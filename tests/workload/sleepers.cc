// SPDX-License-Identifier: BSD-2-Clause
// Parts in which only timers wake tasks: TimerWakeups and Resident.
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

#include "workload/child.h"
#include "workload/workload.h"

namespace workload {

int TimerWakeups(const TimerWakeupsOptions& options) {
  // The parent kills this process after the last wakeup of the sleeper.
  const pid_t busy = StartChild("wl-busy", [&] {
    if (!PinTo(options.cpu)) return 1;
    const volatile bool forever = true;
    while (forever) {
    }
    return 1;
  });
  const pid_t sleeper = StartChild("wl-sleeper", [&] {
    if (!PinTo(options.cpu)) return 1;
    for (uint32_t i = 0; i < options.count; ++i) SleepMilliseconds(2);
    return 0;
  });
  const bool slept = WaitForChild(sleeper);
  kill(busy, SIGKILL);
  WaitForChild(busy);
  if (!slept) return 1;
  printf("timer-wakeups sleeper=%d busy=%d count=%u cpu=%d\n", sleeper, busy, options.count,
         options.cpu);
  return 0;
}

int Resident(const std::string& name) {
  const auto stay = [](const std::string& thread_name) {
    prctl(PR_SET_NAME, thread_name.c_str());
    while (true) SleepMilliseconds(5);
  };
  std::thread second(stay, name + "-2");
  std::thread third(stay, name + "-3");
  stay(name);
  return 1;
}

}  // namespace workload
