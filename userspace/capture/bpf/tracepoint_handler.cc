// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/tracepoint_handler.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "util/unique_fd.h"

namespace capture {
namespace {

constexpr std::string_view kSection = "tp_btf/";
constexpr std::string_view kReturnSection = "fxr_return/";

// A kfunc call whose id is still unset. There is only one kfunc.
bool IsRdonlyCast(const bpf_insn& insn) {
  return insn.code == (BPF_JMP | BPF_CALL) && insn.src_reg == BPF_PSEUDO_KFUNC_CALL &&
         insn.imm == 0;
}

int FillInRdonlyCast(bpf_program* program, uint32_t id) {
  const bpf_insn* begin = bpf_program__insns(program);
  std::vector<bpf_insn> insns(begin, begin + bpf_program__insn_cnt(program));
  if (std::ranges::none_of(insns, IsRdonlyCast)) return 0;
  for (bpf_insn& insn : insns) {
    if (!IsRdonlyCast(insn)) continue;
    // Unreachable on kernels without the kfunc, but older verifiers check it all the same.
    if (id == 0) insn = {BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0};
    insn.imm = static_cast<int32_t>(id);
  }
  return bpf_program__set_insns(program, insns.data(), insns.size());
}

// BTF id of the function NAME, or of __NAME where that is the one that works; 0: neither exists.
uint32_t FindFunction(const KernelTypes& types, std::string_view name) {
  // Since 5.13 an inline function of the name calls that with the underscores, where it has to.
  for (const std::string& each : {"__" + std::string(name), std::string(name)}) {
    const uint32_t id = types.Find(KernelTypes::Kind::kFunction, each);
    if (id != 0) return id;
  }
  return 0;
}

// libbpf before 1.3 frees its handler list with the last handler and goes on using it. So a dummy
// handler stays registered.
void KeepOneHandler() {
  [[maybe_unused]] static const int kept =
      libbpf_register_prog_handler("fxr_none", BPF_PROG_TYPE_UNSPEC, BPF_TRACE_RAW_TP, nullptr);
}

}  // namespace

bool MayRunAtReturn(const KernelTypes& types, std::string_view name) {
  bpf_prog_load_opts options{};
  options.sz = sizeof(options);
  options.expected_attach_type = BPF_TRACE_FEXIT;
  options.attach_btf_id = FindFunction(types, name);
  if (options.attach_btf_id == 0) return false;
  const bpf_insn program[] = {
      {BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0},
      {BPF_JMP | BPF_EXIT, 0, 0, 0, 0},
  };
  util::UniqueFd fd(bpf_prog_load(BPF_PROG_TYPE_TRACING, "fxr_probe", "GPL", program,
                                  sizeof(program) / sizeof(program[0]), &options));
  return fd.valid();
}

TracepointHandler::TracepointHandler(const KernelTypes& types)
    : types_(types), cast_(types.Find(KernelTypes::Kind::kFunction, "bpf_rdonly_cast")) {
  KeepOneHandler();
  libbpf_prog_handler_opts options{};
  options.sz = sizeof(options);
  options.cookie = reinterpret_cast<long>(this);
  options.prog_prepare_load_fn = PrepareLoad;
  // libbpf prepares programs of this type without kernel BTF.
  for (size_t i = 0; i < ids_.size(); ++i) {
    ids_.at(i) =
        libbpf_register_prog_handler((i == 0 ? kSection : kReturnSection).data(),
                                     BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_TRACE_RAW_TP, &options);
  }
}

TracepointHandler::~TracepointHandler() {
  for (const int id : ids_) {
    if (id >= 0) libbpf_unregister_prog_handler(id);
  }
}

int TracepointHandler::PrepareLoad(bpf_program* program, bpf_prog_load_opts* options, long self) {
  const auto& handler = *reinterpret_cast<const TracepointHandler*>(self);
  const std::string_view section = bpf_program__section_name(program);
  if (section.starts_with(kReturnSection)) {
    options->attach_btf_id = FindFunction(handler.types_, section.substr(kReturnSection.size()));
    options->expected_attach_type = BPF_TRACE_FEXIT;
  } else {
    options->attach_btf_id = handler.types_.FindTracepoint(section.substr(kSection.size()));
  }
  if (options->attach_btf_id == 0) return -ESRCH;
  if (const int error = FillInRdonlyCast(program, handler.cast_)) return error;
  return bpf_program__set_type(program, BPF_PROG_TYPE_TRACING);
}

}  // namespace capture
