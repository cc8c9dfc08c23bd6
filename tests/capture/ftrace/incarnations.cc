// SPDX-License-Identifier: BSD-2-Clause
#include "capture/ftrace/incarnations.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace truth {

void CheckIncarnations(const SwitchLog& reference, const FxtLog& recorded,
                       const CompareOptions& options, Comparison* result) {
  std::unordered_map<int32_t, std::vector<uint64_t>> births;
  for (const Birth& birth : reference.births) births[birth.tid].push_back(birth.time_ns);
  // The generations in the recording by (id, incarnation).
  std::map<std::pair<int32_t, size_t>, std::set<uint16_t>> seen;
  const auto note = [&](int32_t tid, uint64_t time_ns, uint16_t generation) {
    const auto found = births.find(tid);
    if (found == births.end()) return;
    const auto& times = found->second;
    const auto incarnation =
        static_cast<size_t>(std::upper_bound(times.begin(), times.end(), time_ns) - times.begin());
    seen[{tid, incarnation}].insert(generation);
  };
  for (const std::vector<Switch>& cpu : recorded.log.cpus) {
    for (const Switch& s : cpu) {
      if (!options.window.Contains(s.time_ns)) continue;
      // An id is free before the last switch of its task, so that switch is ambiguous.
      if (s.prev_state != 'X' && s.prev_state != 'Z') {
        note(s.prev_tid, s.time_ns, s.prev_generation);
      }
      note(s.next_tid, s.time_ns, s.next_generation);
    }
  }
  std::map<int32_t, std::map<uint16_t, size_t>> owners;
  std::set<int32_t> confused;
  for (const auto& [key, generations] : seen) {
    for (const uint16_t generation : generations) {
      const auto [owner, fresh] = owners[key.first].emplace(generation, key.second);
      if (!fresh && owner->second != key.second) confused.insert(key.first);
    }
    if (generations.size() > 1) confused.insert(key.first);
  }
  for (auto it = seen.begin(); it != seen.end(); ++it) {
    const auto next = std::next(it);
    result->reused_tids += next != seen.end() && next->first.first == it->first.first;
  }
  result->confused_incarnations = confused.size();
  for (const int32_t tid : confused) {
    if (result->examples.size() >= options.examples) break;
    result->examples.push_back(fmt::format("task id {}: incarnations share or change koids", tid));
  }
}

}  // namespace truth
