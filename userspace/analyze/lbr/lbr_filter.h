// SPDX-License-Identifier: BSD-2-Clause
// Lets the samples through that somebody wants to see.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "analyze/lbr/lbr_names.h"
#include "analyze/lbr/lbr_samples.h"
#include "analyze/rewrite/record_filter.h"

namespace analyze {

// What is empty or unlimited lets everything through.
struct LbrSelection {
  TimeRange time;
  TaskSelector threads;    // by tid or name
  TaskSelector processes;  // by pid or name
  std::set<uint32_t> cpus;
};

// Mappings and names go through in any case: what they say holds for the samples that follow.
class LbrFilter : public LbrVisitor {
 public:
  // `next` must outlive this.
  LbrFilter(LbrSelection selection, LbrVisitor& next)
      : selection_(std::move(selection)), next_(next) {}

  void OnStart(uint64_t time) override;
  void OnSample(const perf::BranchStackSample& sample) override;
  void OnModule(const ModuleDeclaration& module) override { next_.OnModule(module); }
  void OnMapping(const MappingDeclaration& mapping) override { next_.OnMapping(mapping); }
  void OnKernelObject(const fxt::KernelObject& object) override;
  bool WantsMore() const override { return next_.WantsMore(); }

  // Samples that came, wanted or not.
  uint64_t seen() const { return seen_; }

 private:
  bool Wants(const perf::BranchStackSample& sample) const;

  LbrSelection selection_;
  LbrVisitor& next_;
  LbrNames names_;
  uint64_t seen_ = 0;
};

}  // namespace analyze
