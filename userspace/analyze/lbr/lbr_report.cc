// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/lbr/lbr_report.h"

#include <algorithm>
#include <tuple>

#include "perf/record/perf_abi.h"

namespace analyze {

namespace {

using perf::BranchEntry;
using symbols::BranchKind;

// The limit of distinct branches, for damaged traces.
constexpr size_t kMaxKeys = 1 << 21;
// The limit of straight code. Farther apart, two branches do not belong together.
constexpr uint64_t kMaxBlockBytes = 1 << 20;

template <typename Map>
auto Values(const Map& map) {
  std::vector<typename Map::mapped_type> values;
  values.reserve(map.size());
  for (const auto& [key, value] : map) values.push_back(value);
  return values;
}

// Sorts by `rank`, which ends with places: equal input gives equal output.
template <typename Count, typename Rank>
void SortByRank(std::vector<Count>* counts, Rank rank) {
  std::sort(counts->begin(), counts->end(),
            [&](const Count& a, const Count& b) { return rank(a) < rank(b); });
}

}  // namespace

BranchKind KindFromPerf(const BranchEntry& entry) {
  switch (entry.type()) {
    case PERF_BR_COND:
      return BranchKind::kConditional;
    case PERF_BR_UNCOND:
      return BranchKind::kJump;
    case PERF_BR_IND:
      return BranchKind::kIndirectJump;
    case PERF_BR_CALL:
    case PERF_BR_COND_CALL:
      return BranchKind::kCall;
    case PERF_BR_IND_CALL:
      return BranchKind::kIndirectCall;
    case PERF_BR_RET:
    case PERF_BR_COND_RET:
      return BranchKind::kReturn;
    case PERF_BR_SYSCALL:
      return BranchKind::kSyscall;
    case PERF_BR_SYSRET:
      return BranchKind::kSyscallReturn;
    case PERF_BR_IRQ:
      return BranchKind::kInterrupt;
    case PERF_BR_ERET:
      return BranchKind::kInterruptReturn;
    default:
      return BranchKind::kUnknown;
  }
}

void LbrReport::OnSample(const perf::BranchStackSample& sample) {
  ++totals_.samples;
  totals_.first_time = std::min(totals_.first_time, sample.time);
  totals_.last_time = std::max(totals_.last_time, sample.time);
  ThreadCount& thread = threads_[{sample.pid, sample.tid}];
  thread.pid = sample.pid;
  thread.tid = sample.tid;
  ++thread.samples;

  uint64_t filled = 0;
  const BranchEntry* newer = nullptr;
  PlaceId newer_from = 0;
  for (const BranchEntry& entry : sample.entries) {
    if (entry.unfilled()) {
      ++totals_.unfilled;
      newer = nullptr;
      continue;
    }
    ++filled;
    const PlaceId from = places_.Resolve(sample.pid, entry.from);
    const PlaceId to = places_.Resolve(sample.pid, entry.to);
    thread.mispredicted += entry.mispredicted();
    thread.judged += entry.mispredicted() || entry.predicted();
    CountBranch(entry, from, to);
    if (newer != nullptr) CountBlock(*newer, entry, newer_from, to);
    newer = &entry;
    newer_from = from;
  }
  thread.branches += filled;
  totals_.branches += filled;
  totals_.empty_samples += filled == 0;
  totals_.longest = std::max(totals_.longest, filled);
}

void LbrReport::CountBranch(const BranchEntry& entry, PlaceId from, PlaceId to) {
  totals_.mispredicted += entry.mispredicted();
  totals_.predicted += entry.predicted();
  totals_.in_transaction += entry.in_transaction();
  totals_.aborted += entry.aborted();
  totals_.with_cycles += entry.cycles() != 0;
  BranchKind kind = KindFromPerf(entry);
  if (kind == BranchKind::kUnknown) kind = places_.KindOf(from);
  ++totals_.kinds[static_cast<size_t>(kind)];
  CountFunctions(kind, from, to);

  auto found = branches_.find({from, to});
  if (found == branches_.end()) {
    if (branches_.size() >= kMaxKeys) {
      ++totals_.uncounted;
      return;
    }
    found = branches_.emplace(Key(from, to), BranchCount()).first;
    found->second.from = from;
    found->second.to = to;
  }
  BranchCount& branch = found->second;
  branch.kind = kind;
  ++branch.count;
  branch.mispredicted += entry.mispredicted();
  branch.predicted += entry.predicted();
  branch.in_transaction += entry.in_transaction();
  branch.aborted += entry.aborted();
}

void LbrReport::CountBlock(const BranchEntry& newer, const BranchEntry& older, PlaceId last,
                           PlaceId first) {
  if (newer.cycles() == 0 || newer.from < older.to || newer.from - older.to > kMaxBlockBytes) {
    return;
  }
  if (places_.place(first).module != places_.place(last).module) return;
  auto found = blocks_.find({first, last});
  if (found == blocks_.end()) {
    if (blocks_.size() >= kMaxKeys) return;
    found = blocks_.emplace(Key(first, last), BlockCount()).first;
    found->second.first = first;
    found->second.last = last;
    found->second.bytes = newer.from - older.to;
  }
  BlockCount& block = found->second;
  const uint64_t cycles = newer.cycles();
  ++block.count;
  block.cycles += cycles;
  block.least = std::min(block.least, cycles);
  block.most = std::max(block.most, cycles);
}

FunctionCount* LbrReport::FunctionAt(PlaceId place) {
  const uint32_t function = places_.place(place).function;
  if (function == UINT32_MAX) return nullptr;
  FunctionCount& count = functions_[function];
  count.function = function;
  return &count;
}

void LbrReport::CountFunctions(BranchKind kind, PlaceId from, PlaceId to) {
  if (symbols::IsCall(kind)) {
    if (FunctionCount* caller = FunctionAt(from)) ++caller->calls_made;
    if (FunctionCount* callee = FunctionAt(to)) ++callee->calls;
  } else if (kind == BranchKind::kReturn) {
    if (FunctionCount* function = FunctionAt(from)) ++function->returns;
  } else if (kind == BranchKind::kUnknown && places_.place(to).function_offset == 0 &&
             places_.place(to).function != places_.place(from).function) {
    if (FunctionCount* function = FunctionAt(to)) ++function->entries;
  }
}

std::vector<BranchCount> LbrReport::Branches() const {
  std::vector<BranchCount> branches = Values(branches_);
  SortByRank(&branches,
             [](const BranchCount& b) { return std::make_tuple(~b.count, b.from, b.to); });
  return branches;
}

std::vector<BranchCount> LbrReport::MispredictedBranches() const {
  std::vector<BranchCount> branches = Values(branches_);
  std::erase_if(branches, [](const BranchCount& b) { return b.mispredicted == 0; });
  SortByRank(&branches, [](const BranchCount& b) {
    return std::make_tuple(~b.mispredicted, b.count, b.from, b.to);
  });
  return branches;
}

std::vector<BlockCount> LbrReport::Blocks() const {
  std::vector<BlockCount> blocks = Values(blocks_);
  SortByRank(&blocks,
             [](const BlockCount& b) { return std::make_tuple(~b.cycles, b.first, b.last); });
  return blocks;
}

std::vector<FunctionCount> LbrReport::Functions() const {
  std::vector<FunctionCount> functions = Values(functions_);
  std::erase_if(functions, [](const FunctionCount& f) {
    return f.calls + f.returns + f.entries + f.calls_made == 0;
  });
  SortByRank(&functions, [](const FunctionCount& f) {
    return std::make_tuple(~(f.calls + f.entries), ~f.returns, f.function);
  });
  return functions;
}

std::vector<ThreadCount> LbrReport::Threads() const {
  std::vector<ThreadCount> threads = Values(threads_);
  for (ThreadCount& thread : threads) thread.name = names_.thread(thread.tid);
  SortByRank(&threads,
             [](const ThreadCount& t) { return std::make_tuple(~t.samples, t.pid, t.tid); });
  return threads;
}

}  // namespace analyze
