// SPDX-License-Identifier: BSD-2-Clause
// Wraps the generated BPF skeleton: selects programs and settings. Only bpf_programs.cc includes
// it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/bpf/bpf_programs.h"
#include "capture/bpf/kernel_features.h"
#include "capture/bpf/kernel_symbols.h"
#include "capture/bpf/program_options.h"
#include "capture/bpf/ring_sizes.h"
#include "capture/bpf/tracepoint_handler.h"
#include "capture/btf/kernel_types.h"
#include "capture/counters/counter_set.h"
#include "capture/counters/sampled_event.h"
#include "capture/probes/probe_links.h"
#include "util/result.h"
#include "util/unique_fd.h"

#include "bpf/recorder.skel.h"

namespace capture {

class Skeleton {
 public:
  // `types` must live until Load.
  static util::Result<std::unique_ptr<Skeleton>> Open(bool verbose, const KernelTypes& types);
  ~Skeleton();
  Skeleton(const Skeleton&) = delete;
  Skeleton& operator=(const Skeleton&) = delete;

  // To be called before Load.
  void SetSizes(const RingSizes& sizes);
  void SetRingUse(RingUse use, const RingSizes& sizes);
  void SetFeatures(const KernelFeatures& features, const RingSizes& sizes);
  void SetFilters(const ProgramOptions& options);
  void SetStacks(const KernelFeatures& features, const ProgramOptions& options,
                 const RingSizes& sizes);
  void SetWaits(const KernelFeatures& features, const ProgramOptions& options);
  void SetRequests(const ProgramOptions& options);
  void SetFaults(const ProgramOptions& options);
  void SetProbes(const KernelFeatures& features, const ProgramOptions& options);
  void SetCounters(const ProgramOptions& options, const RingSizes& sizes);
  void ChoosePrograms(const ProgramOptions& options, const KernelFeatures& features);

  // `hint` explains a refusal without a better explanation.
  util::Status Load(const RingSizes& sizes, const std::string& hint);
  // After Load: passes the events to the programs.
  util::Status FillCounters(const CounterSet& counters);
  // The same with what the programs of probes read.
  util::Status FillProbes();
  util::Status Attach();
  // The functions of patterns that Attach left out, a sentence for each pattern.
  std::vector<std::string> DescribeSkippedProbes() const;
  void Detach();

  // As BpfPrograms::RecursionMisses, without the substitutions of stand-ins subtracted.
  CategoryCounts RecursionMisses() const;
  // True if the programs unwind user stacks by tables.
  bool has_unwinder() const { return has_unwinder_; }
  // Finds nothing where no category needs it.
  KernelSymbols symbols() const;
  // After Load().
  void FillSyscallCode();
  bool has_stand_ins() const { return !stand_ins_.empty(); }
  int task_walk_fd() const;
  // The program of stack samples; -1: none.
  int sample_program_fd() const;

  recorder_bpf* operator->() const { return bpf_; }

 private:
  Skeleton() = default;
  util::Status OpenObject(const KernelTypes& types);
  // Writes the kernel types that the programs use for libbpf.
  util::Status WriteTypes(const KernelTypes& types);
  void Use(const std::string& name, fxr_category category, std::vector<bpf_program*>* group);
  void UseTracepoint(const Tracepoint& tracepoint, const KernelFeatures& features);
  util::Status Attach(const std::vector<bpf_program*>& programs);

  std::optional<TracepointHandler> handler_;  // until Load
  util::UniqueFd types_;                      // a memory file, until Load
  recorder_bpf* bpf_ = nullptr;
  std::vector<util::UniqueFd> links_;
  std::vector<bpf_program*> identity_;
  std::vector<bpf_program*> stand_ins_;  // see bpf/task.bpf.c
  std::vector<bpf_program*> events_;
  std::vector<bpf_program*> net_rx_;   // see bpf/net_rx.h; they emit nothing
  std::vector<bpf_program*> returns_;  // of functions; they emit nothing
  std::vector<bpf_program*> sampled_;  // programs of major_faults_
  SampledEvent major_faults_;
  std::map<const bpf_program*, fxr_category> category_of_;
  std::vector<probes::Probe> probes_;
  std::vector<uint32_t> probed_;  // processes; empty: all
  bool has_unwinder_ = false;
  bool has_allocator_ = false;  // entries of maps can be allocated when they are needed
  bool has_samples_ = false;
  bool has_symbols_ = false;
  bool wants_syscall_code_ = false;
  ProbePrograms probe_programs_;
  std::vector<bpf_program*> kernel_probes_;
  probes::SkippedProbes skipped_probes_;
  ProbeLinks probe_links_;
};

}  // namespace capture
