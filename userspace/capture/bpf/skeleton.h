// SPDX-License-Identifier: BSD-2-Clause
// The generated skeleton of the BPF object: which programs are loaded, with which settings. Only
// bpf_programs.cc includes this.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "capture/bpf/bpf_programs.h"
#include "capture/bpf/kernel_features.h"
#include "capture/bpf/program_options.h"
#include "capture/bpf/ring_sizes.h"
#include "util/result.h"

#include "bpf/recorder.skel.h"

namespace capture {

class Skeleton {
 public:
  static util::Result<std::unique_ptr<Skeleton>> Open(bool verbose);
  ~Skeleton();
  Skeleton(const Skeleton&) = delete;
  Skeleton& operator=(const Skeleton&) = delete;

  // These before Load.
  void SetSizes(const RingSizes& sizes);
  void SetFeatures(const KernelFeatures& features, const RingSizes& sizes);
  void SetFilters(const ProgramOptions& options);
  void SetStacks(const ProgramOptions& options);
  void ChoosePrograms(const ProgramOptions& options, const KernelFeatures& features);

  // `hint`: what to say of a refusal that nothing better is known of.
  util::Status Load(const RingSizes& sizes, const std::string& hint);
  util::Status Attach();
  void Detach();

  // As BpfPrograms::RecursionMisses, before those that a stand-in made up for are taken off.
  CategoryCounts RecursionMisses() const;
  bool has_stand_ins() const { return !stand_ins_.empty(); }
  int task_walk_fd() const;

  recorder_bpf* operator->() const { return bpf_; }

 private:
  explicit Skeleton(recorder_bpf* bpf) : bpf_(bpf) {}
  void Use(const std::string& name, fxr_category category, std::vector<bpf_program*>* group);
  void UseTracepoint(const Tracepoint& tracepoint, const KernelFeatures& features);
  util::Status Attach(const std::vector<bpf_program*>& programs);
  void LookIntoModulesInVain();

  recorder_bpf* bpf_;
  bool may_see_modules_ = true;
  std::vector<bpf_link*> links_;
  std::vector<bpf_program*> identity_;
  std::vector<bpf_program*> stand_ins_;  // of these, see bpf/task.bpf.c
  std::vector<bpf_program*> events_;
  std::map<const bpf_program*, fxr_category> category_of_;
};

}  // namespace capture
