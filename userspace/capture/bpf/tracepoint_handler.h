// SPDX-License-Identifier: BSD-2-Clause
// Replaces libbpf's preparation of tp_btf/TRACEPOINT programs, which parses all kernel BTF again.
// The ids that the kernel needs come from the BTF that we already read. Programs in
// fxr_return/FUNCTION run when a function of the kernel returns (fexit).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "capture/btf/kernel_types.h"

struct bpf_program;
struct bpf_prog_load_opts;

namespace capture {

// Whether a program may run when this function of the kernel returns.
bool MayRunAtReturn(const KernelTypes& types, std::string_view name);

// Registered with libbpf during its lifetime, one at a time. The programs' object must be opened
// and loaded meanwhile. libbpf cannot attach these programs.
class TracepointHandler {
 public:
  explicit TracepointHandler(const KernelTypes& types);
  TracepointHandler(const TracepointHandler&) = delete;
  TracepointHandler& operator=(const TracepointHandler&) = delete;
  ~TracepointHandler();

  // True if libbpf accepted the registration.
  bool registered() const { return std::ranges::min(ids_) >= 0; }

 private:
  static int PrepareLoad(bpf_program* program, bpf_prog_load_opts* options, long self);

  const KernelTypes& types_;
  uint32_t cast_;             // BTF id of bpf_rdonly_cast(); 0: the kernel has none
  std::array<int, 2> ids_{};  // libbpf's, one for each kind of section
};

}  // namespace capture
