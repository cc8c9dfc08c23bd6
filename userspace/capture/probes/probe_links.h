// SPDX-License-Identifier: BSD-2-Clause
// Attached uprobes and USDT probes. The kernel removes them with this process's last descriptor,
// however the process ends; nothing is written to tracefs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/probe.h"
#include "util/result.h"

struct bpf_link;
struct bpf_program;

namespace capture {

// Empty if this kernel supports uprobes, else the reason.
std::string WhyNoProbes();

// The loaded programs of bpf/uprobe.bpf.c; null if no probe needs it.
struct ProbePrograms {
  bpf_program* entry = nullptr;
  bpf_program* on_return = nullptr;
  bpf_program* usdt = nullptr;
  // The same for probes with arguments or a filter.
  bpf_program* entry_values = nullptr;
  bpf_program* on_return_values = nullptr;
  bpf_program* usdt_values = nullptr;
};

class ProbeLinks {
 public:
  ProbeLinks() = default;
  ~ProbeLinks();
  ProbeLinks(const ProbeLinks&) = delete;
  ProbeLinks& operator=(const ProbeLinks&) = delete;

  // Attaches all probes; a probe's number is its index in `probes`. Attaches in the processes
  // `pids` (ids of this pid namespace), or everywhere if that is empty. Exited processes are
  // skipped. After an error the attached probes stay until Detach.
  util::Status Attach(const ProbePrograms& programs, const std::vector<probes::Probe>& probes,
                      const std::vector<uint32_t>& pids);
  void Detach();

 private:
  util::Status AttachTo(const ProbePrograms& programs, const probes::Probe& probe, uint64_t number,
                        int pid);
  util::Status Keep(bpf_link* link, const probes::Probe& probe);

  std::vector<bpf_link*> links_;
};

}  // namespace capture
