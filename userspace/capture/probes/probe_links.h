// SPDX-License-Identifier: BSD-2-Clause
// The probes of functions and USDT probes, attached. The kernel takes them away with the last of
// this process's descriptors of them, however it ends: nothing is written to tracefs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/probe.h"
#include "util/result.h"

struct bpf_link;
struct bpf_program;

namespace capture {

// Empty when this kernel can have functions probed, else the reason why not.
std::string WhyNoProbes();

// Of bpf/uprobe.bpf.c, loaded; null where none of the probes needs it.
struct ProbePrograms {
  bpf_program* entry = nullptr;
  bpf_program* on_return = nullptr;
  bpf_program* usdt = nullptr;
};

class ProbeLinks {
 public:
  ProbeLinks() = default;
  ~ProbeLinks();
  ProbeLinks(const ProbeLinks&) = delete;
  ProbeLinks& operator=(const ProbeLinks&) = delete;

  // All of them, each with its place in `probes` as its number; in the processes `pids` of those of
  // this process namespace, or everywhere where that is empty. A process that is gone has none. On
  // an error what was attached before stays until Detach.
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
