// SPDX-License-Identifier: BSD-2-Clause
// Writes branch stacks as text, in the format of perf script, or as JSON.
#pragma once

#include <cstdint>
#include <optional>

#include "analyze/lbr/lbr_names.h"
#include "analyze/lbr/lbr_places.h"
#include "analyze/lbr/lbr_samples.h"
#include "text/text_writer.h"

namespace analyze {

enum class LbrRawForm : uint8_t {
  // A line per sample ("sample TIME pid N tid N ..."), below it one per branch, newest first:
  // "  FROM TO M|P|- CYCLES" and names of the other flags.
  kText,
  kBrstack,  // as `perf script -F pid,tid,cpu,time,brstack --ns` prints them
  kJson,     // an object per sample and line
};

class LbrRawWriter : public LbrVisitor {
 public:
  // `out` must outlive it. With `symbols` text and JSON have names of places. brstack has none.
  LbrRawWriter(text::TextWriter& out, LbrRawForm form,
               const std::optional<LbrSymbolOptions>& symbols);

  void OnSample(const perf::BranchStackSample& sample) override;
  void OnModule(const ModuleDeclaration& module) override;
  void OnMapping(const MappingDeclaration& mapping) override;
  void OnKernelObject(const fxt::KernelObject& object) override { names_.Note(object); }
  bool WantsMore() const override { return !out_.failed(); }

  uint64_t samples() const { return samples_; }
  uint64_t branches() const { return branches_; }  // unfilled slots included
  // Null without symbols.
  const LbrPlaces* places() const { return places_ ? &*places_ : nullptr; }

 private:
  void WriteText(const perf::BranchStackSample& sample);
  void WriteJson(const perf::BranchStackSample& sample);

  text::TextWriter& out_;
  LbrRawForm form_;
  std::optional<LbrPlaces> places_;
  LbrNames names_;
  std::string line_;
  uint64_t samples_ = 0;
  uint64_t branches_ = 0;
};

}  // namespace analyze
