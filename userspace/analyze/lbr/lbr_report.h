// SPDX-License-Identifier: BSD-2-Clause
// Statistics of branch stacks: branches and their mispredictions, cycles of the code between them,
// calls and returns of functions, threads.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyze/lbr/lbr_names.h"
#include "analyze/lbr/lbr_places.h"
#include "analyze/lbr/lbr_samples.h"

namespace analyze {

struct BranchCount {
  PlaceId from = 0;
  PlaceId to = 0;
  symbols::BranchKind kind = symbols::BranchKind::kUnknown;
  uint64_t count = 0;
  uint64_t mispredicted = 0;
  uint64_t predicted = 0;
  uint64_t in_transaction = 0;
  uint64_t aborted = 0;

  // The mispredicted part of the branches with a reported prediction; 0 without any.
  double mispredict_rate() const {
    const uint64_t judged = mispredicted + predicted;
    return judged == 0 ? 0 : static_cast<double>(mispredicted) / static_cast<double>(judged);
  }
};

// Code between two recorded branches: from the target of one to the next. It is a basic block if
// every branch is recorded.
struct BlockCount {
  PlaceId first = 0;   // the first address
  PlaceId last = 0;    // the branch that left it
  uint64_t bytes = 0;  // from first to last
  uint64_t count = 0;
  uint64_t cycles = 0;  // sum
  uint64_t least = UINT64_MAX;
  uint64_t most = 0;
};

struct FunctionCount {
  uint32_t function = 0;
  uint64_t calls = 0;    // branches that call it
  uint64_t returns = 0;  // branches that return from it
  uint64_t calls_made = 0;
  // Branches of unknown kind from other functions to its first instruction: calls or tail calls.
  uint64_t entries = 0;
};

struct ThreadCount {
  uint32_t pid = 0;
  uint32_t tid = 0;
  std::string name;
  uint64_t samples = 0;
  uint64_t branches = 0;
  uint64_t mispredicted = 0;
  uint64_t judged = 0;  // branches with a reported prediction
};

struct LbrTotals {
  uint64_t samples = 0;
  uint64_t empty_samples = 0;  // without filled slots
  uint64_t branches = 0;
  uint64_t unfilled = 0;  // slots with neither from nor to; no branches
  uint64_t mispredicted = 0;
  uint64_t predicted = 0;
  uint64_t in_transaction = 0;
  uint64_t aborted = 0;
  uint64_t with_cycles = 0;
  uint64_t longest = 0;              // filled slots of the longest stack
  uint64_t first_time = UINT64_MAX;  // ns
  uint64_t last_time = 0;
  // Branches beyond the limit of distinct branches.
  uint64_t uncounted = 0;
  std::array<uint64_t, static_cast<size_t>(symbols::BranchKind::kInterruptReturn) + 1> kinds{};
};

// Adds up the samples of a trace.
class LbrReport : public LbrVisitor {
 public:
  explicit LbrReport(LbrSymbolOptions symbols) : places_(std::move(symbols)) {}

  void OnSample(const perf::BranchStackSample& sample) override;
  void OnModule(const ModuleDeclaration& module) override { places_.OnModule(module); }
  void OnMapping(const MappingDeclaration& mapping) override { places_.OnMapping(mapping); }
  void OnKernelObject(const fxt::KernelObject& object) override { names_.Note(object); }

  const LbrTotals& totals() const { return totals_; }
  const LbrPlaces& places() const { return places_; }
  // Most frequent first, then in the order of places.
  std::vector<BranchCount> Branches() const;
  // Branches with mispredictions, most mispredictions first.
  std::vector<BranchCount> MispredictedBranches() const;
  // Blocks with cycles, most cycles first.
  std::vector<BlockCount> Blocks() const;
  // Most calls first.
  std::vector<FunctionCount> Functions() const;
  // Most samples first.
  std::vector<ThreadCount> Threads() const;

 private:
  using Key = std::pair<PlaceId, PlaceId>;
  struct HashKey {
    size_t operator()(const Key& key) const {
      return std::hash<uint64_t>()(uint64_t{key.first} << 32 | key.second);
    }
  };

  void CountBranch(const perf::BranchEntry& entry, PlaceId from, PlaceId to);
  void CountBlock(const perf::BranchEntry& newer, const perf::BranchEntry& older, PlaceId last,
                  PlaceId first);
  void CountFunctions(symbols::BranchKind kind, PlaceId from, PlaceId to);
  FunctionCount* FunctionAt(PlaceId place);

  LbrPlaces places_;
  LbrTotals totals_;
  std::unordered_map<Key, BranchCount, HashKey> branches_;
  std::unordered_map<Key, BlockCount, HashKey> blocks_;
  std::unordered_map<uint32_t, FunctionCount> functions_;
  std::map<std::pair<uint32_t, uint32_t>, ThreadCount> threads_;
  LbrNames names_;
};

// The kind of a branch that perf reports (PERF_BR_*); kUnknown without one.
symbols::BranchKind KindFromPerf(const perf::BranchEntry& entry);

}  // namespace analyze
