// SPDX-License-Identifier: BSD-2-Clause
#include "capture/support/environment.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/format.h>

#include "util/unique_fd.h"

namespace truth {
namespace {

std::string Beside(const char* name) { return (BuildDirectory() / name).string(); }

// `r0 = 0; exit` as a raw tracepoint program, which a tracer has to be allowed to load.
bool MayLoadPrograms() {
  const bpf_insn program[] = {{BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0},
                              {BPF_JMP | BPF_EXIT, 0, 0, 0, 0}};
  const char license[] = "Dual BSD/GPL";
  bpf_attr attr;
  memset(&attr, 0, sizeof(attr));
  attr.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
  attr.insns = reinterpret_cast<uintptr_t>(program);
  attr.insn_cnt = 2;
  attr.license = reinterpret_cast<uintptr_t>(license);
  const util::UniqueFd loaded(
      static_cast<int>(syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr))));
  return loaded.valid();
}

}  // namespace

const std::filesystem::path& BuildDirectory() {
  static const std::filesystem::path folder = [] {
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  }();
  return folder;
}

std::string RecorderPath() {
  const char* chosen = getenv("FXT_RECORD");
  return chosen ? chosen : Beside("fxt-record");
}
std::string FxtToolPath() { return Beside("fxt"); }
std::string WorkloadPath() { return Beside("tests/workload"); }
std::string OddTasksPath() { return Beside("tests/odd_tasks"); }
std::string ComparePath() { return Beside("tests/ftrace_compare"); }

std::string WhyNoCapture() {
  static const std::string reason = [] {
    if (geteuid() != 0) return std::string("needs root");
    if (access("/sys/kernel/btf/vmlinux", R_OK) != 0) {
      return std::string("this kernel has no type information (/sys/kernel/btf/vmlinux)");
    }
    if (!MayLoadPrograms()) {
      return fmt::format("this kernel refuses a BPF program: {}", strerror(errno));
    }
    return std::string();
  }();
  return reason;
}

bool CaptureIsRequired() { return getenv("FXT_REQUIRE_CAPTURE") != nullptr; }

}  // namespace truth
