// SPDX-License-Identifier: BSD-2-Clause
// Passes on the samples of a selection.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "analyze/lbr/lbr_names.h"
#include "analyze/lbr/lbr_samples.h"
#include "analyze/rewrite/record_filter.h"

namespace analyze {

// The samples to pass on. An empty or unlimited part selects all.
struct LbrSelection {
  TimeRange time;
  TaskSelector threads;    // by tid or name
  TaskSelector processes;  // by pid or name
  std::set<uint32_t> cpus;
};

// Passes on all mappings and names: they apply to the samples that follow.
class LbrFilter : public LbrVisitor {
 public:
  // `next` must outlive it.
  LbrFilter(LbrSelection selection, LbrVisitor& next)
      : selection_(std::move(selection)), next_(next) {}

  void OnStart(uint64_t time) override;
  void OnSample(const perf::BranchStackSample& sample) override;
  void OnModule(const ModuleDeclaration& module) override { next_.OnModule(module); }
  void OnMapping(const MappingDeclaration& mapping) override { next_.OnMapping(mapping); }
  void OnKernelObject(const fxt::KernelObject& object) override;
  bool WantsMore() const override { return next_.WantsMore(); }

  // Samples of the trace, selected or not.
  uint64_t samples() const { return samples_; }

 private:
  bool Selects(const perf::BranchStackSample& sample) const;

  LbrSelection selection_;
  LbrVisitor& next_;
  LbrNames names_;
  uint64_t samples_ = 0;
};

}  // namespace analyze
