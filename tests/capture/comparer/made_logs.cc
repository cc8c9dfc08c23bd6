// SPDX-License-Identifier: BSD-2-Clause
#include "capture/comparer/made_logs.h"

#include <vector>

namespace truth {

SwitchLog Reference(int switches) {
  SwitchLog log;
  log.cpus.resize(1);
  const uint32_t names[] = {log.names.Intern("swapper/0"), log.names.Intern("first"),
                            log.names.Intern("second")};
  const int32_t tids[] = {100, 0, 101, 0};
  const auto name_of = [&](int32_t tid) { return names[tid == 0 ? 0 : tid - 99]; };
  for (int i = 0; i < switches; ++i) {
    const int32_t prev = tids[i % 4], next = tids[(i + 1) % 4];
    Switch s;
    s.time_ns = (static_cast<uint64_t>(i) + 10) * kStepNs;
    s.prev_tid = prev;
    s.next_tid = next;
    s.prev_name = name_of(prev);
    s.next_name = name_of(next);
    s.prev_priority = 120;
    s.next_priority = 120;
    s.prev_state = prev == 0 ? 'R' : 'S';
    log.cpus[0].push_back(s);
  }
  return log;
}

FxtLog Recording(const SwitchLog& reference) {
  FxtLog recorded;
  recorded.log.cpus = reference.cpus;
  for (uint32_t id = 0; id < reference.names.size(); ++id) {
    recorded.log.names.Intern(reference.names.Name(id));
  }
  for (std::vector<Switch>& cpu : recorded.log.cpus) {
    for (Switch& s : cpu) {
      s.time_ns += 300;
      if (s.prev_tid == 0) s.prev_priority = 0;
      if (s.next_tid == 0) s.next_priority = 0;
    }
  }
  return recorded;
}

}  // namespace truth
