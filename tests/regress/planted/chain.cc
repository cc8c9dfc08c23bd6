// SPDX-License-Identifier: BSD-2-Clause
// A scenario of threads that hand on what they were woken with.
#include <deque>
#include <string>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {

int WakeupChain(const Options& options) {
  const int stages = options.slow ? 6 : 3;
  std::deque<Channel> channels(stages + 1);
  Processes processes;
  processes.Start("pipeline", [&] {
    Threads threads;
    for (int i = 0; i < stages; ++i) {
      threads.Start("stage-" + std::to_string(i), [&, i] {
        int item = 0;
        while (channels[i].Receive(&item)) {
          Work(microseconds(40));
          channels[i + 1].Send(item);
        }
      });
    }
  });
  processes.Start("source", [&] {
    const auto end = Clock::now() + options.length;
    int item = 0;
    do {
      Nap(milliseconds(1));
      Work(microseconds(20));
      channels.front().Send(item);
    } while (channels.back().Receive(&item) && Clock::now() < end);
    for (Channel& channel : channels) channel.Shut();
  });
  return 0;
}

}  // namespace planted
