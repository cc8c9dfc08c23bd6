// SPDX-License-Identifier: BSD-2-Clause
// How libbpf prepares programs of the section tp_btf/TRACEPOINT, in place of its own way, for which
// it reads all of the kernel's type information again: the ids that the kernel asks for are found
// in what we have read of it.
#pragma once

#include "capture/btf/kernel_types.h"

struct bpf_program;
struct bpf_prog_load_opts;

namespace capture {

// libbpf knows of it from its construction to its end, one at a time. The programs' object has to
// be opened and loaded meanwhile, and they are not attached by libbpf, which does not know how.
class TracepointHandler {
 public:
  explicit TracepointHandler(const KernelTypes& types);
  TracepointHandler(const TracepointHandler&) = delete;
  TracepointHandler& operator=(const TracepointHandler&) = delete;
  ~TracepointHandler();

  // Whether libbpf took it.
  bool registered() const { return id_ >= 0; }

 private:
  static int PrepareLoad(bpf_program* program, bpf_prog_load_opts* options, long self);

  const KernelTypes& types_;
  int id_;  // libbpf's
};

}  // namespace capture
