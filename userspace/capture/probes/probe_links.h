// SPDX-License-Identifier: BSD-2-Clause
// Attached probes of functions and USDT probes. The kernel removes them with this process's last
// descriptor, however the process ends; nothing is written to tracefs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "probes/probe.h"
#include "probes/skipped_probes.h"
#include "util/result.h"

struct bpf_link;
struct bpf_program;

namespace capture {

// Empty if this kernel supports uprobes, else the reason.
std::string WhyNoProbes();
// The same for probes of the kernel's own functions. `has_fprobes`: see KernelFeatures.
std::string WhyNoKernelProbes(bool has_fprobes);

// The loaded programs of bpf/uprobe.bpf.c and bpf/kprobe.bpf.c; null if no probe needs it. The
// second of each is for probes with arguments or a filter.
struct ProbePrograms {
  struct Call {
    bpf_program* entry = nullptr;
    bpf_program* on_return = nullptr;
  };
  std::array<Call, 2> function;
  std::array<Call, 2> kernel;
  std::array<bpf_program*, 2> usdt{};
  bool kernel_is_multi = false;  // the kernel's are for multi-links
};

class ProbeLinks {
 public:
  ProbeLinks() = default;
  ~ProbeLinks();
  ProbeLinks(const ProbeLinks&) = delete;
  ProbeLinks& operator=(const ProbeLinks&) = delete;

  // Attaches all probes; a probe's number is its index in `probes`. Attaches in the processes
  // `pids` (ids of this pid namespace), or everywhere if that is empty. Exited processes are
  // skipped. Functions of a pattern that the kernel refuses are added to `skipped`; it is an error
  // if it refuses all of them. After an error the attached probes stay until Detach.
  util::Status Attach(const ProbePrograms& programs, const std::vector<probes::Probe>& probes,
                      const std::vector<uint32_t>& pids, probes::SkippedProbes* skipped);
  void Detach();

 private:
  using Numbers = std::span<const uint32_t>;

  // These return 0 or an errno.
  int AttachUser(const ProbePrograms& programs, const probes::Probe& probe, uint64_t cookie,
                 int pid);
  int AttachUserTo(const ProbePrograms& programs, const probes::Probe& probe, uint64_t cookie,
                   const std::vector<uint32_t>& pids);
  int AttachKernel(const ProbePrograms::Call& programs, const probes::Probe& probe,
                   uint64_t cookie);
  int AttachMulti(const ProbePrograms::Call& programs, const std::vector<probes::Probe>& probes,
                  Numbers numbers);

  util::Status AttachKernelProbes(const ProbePrograms& programs,
                                  const std::vector<probes::Probe>& probes,
                                  probes::SkippedProbes* skipped);
  // Attaches those of `numbers` that the kernel accepts, in as few links as possible.
  util::Status AttachMost(const ProbePrograms::Call& programs,
                          const std::vector<probes::Probe>& probes, Numbers numbers,
                          probes::SkippedProbes* skipped);
  // The kernel refused the probe.
  static util::Status Refuse(const probes::Probe& probe, int error, const std::string& reason,
                             probes::SkippedProbes* skipped);
  int Keep(bpf_link* link);
  void DetachFrom(size_t first);

  std::vector<bpf_link*> links_;
};

}  // namespace capture
