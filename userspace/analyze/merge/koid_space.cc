// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/merge/koid_space.h"

#include "schema/koid.h"

namespace analyze {
namespace {

// Tasks of the recorder and the kernel's idle threads, which have the same koids in every trace.
bool IsPseudo(fxt::Koid koid) {
  return koid == 0 || (koid <= schema::kMaxKoid &&
                       schema::GenerationOfKoid(koid) >= schema::kFirstPseudoGeneration);
}

fxt::Koid Find(const std::map<fxt::Koid, fxt::Koid>& map, fxt::Koid koid) {
  const auto found = map.find(koid);
  return found == map.end() ? koid : found->second;
}

}  // namespace

fxt::Koid KoidMap::Thread(fxt::Koid koid) const {
  if (cpu_shift != 0 && koid <= schema::kMaxKoid && schema::IsCpuTrack(koid)) {
    return schema::MakeKoid(schema::TidOfKoid(koid) + cpu_shift, schema::GenerationOfKoid(koid));
  }
  return Find(threads, koid);
}

fxt::Koid KoidMap::Process(fxt::Koid koid) const { return Find(processes, koid); }

template <typename Taken>
fxt::Koid KoidSpace::Free(fxt::Koid koid, const Taken& taken, const std::set<fxt::Koid>& own) {
  uint32_t low = schema::TidOfKoid(koid);
  for (;; low = (low + 1) & schema::kTidMask) {
    for (uint32_t generation = 1; generation <= schema::kMaxGeneration; ++generation) {
      const fxt::Koid free = schema::MakeKoid(low, generation);
      if (!taken.contains(free) && !own.contains(free)) return free;
    }
  }
}

KoidMap KoidSpace::Add(const TraceFacts& facts, bool apart, uint32_t cpu_shift) {
  KoidMap map;
  map.cpu_shift = cpu_shift;
  std::set<fxt::Koid> own_threads, own_processes;
  for (const auto& [thread, process] : facts.threads) own_threads.insert(thread);
  own_processes = facts.processes;
  if (apart) {
    for (const fxt::Koid process : facts.processes) {
      if (IsPseudo(process) || !processes_.contains(process)) continue;
      const fxt::Koid free = Free(process, processes_, own_processes);
      map.processes.emplace(process, free);
      own_processes.insert(free);
    }
  }
  for (const auto& [thread, process] : facts.threads) {
    if (IsPseudo(thread)) continue;
    const auto known = threads_.find(thread);
    if (known == threads_.end()) continue;
    if (!apart && known->second == process) {
      ++map.same_threads;
      continue;
    }
    const fxt::Koid free = Free(thread, threads_, own_threads);
    map.threads.emplace(thread, free);
    own_threads.insert(free);
  }
  for (const auto& [thread, process] : facts.threads) {
    threads_.try_emplace(map.Thread(thread), map.Process(process));
  }
  for (const fxt::Koid process : facts.processes) processes_.insert(map.Process(process));
  return map;
}

}  // namespace analyze
