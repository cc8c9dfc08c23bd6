// SPDX-License-Identifier: BSD-2-Clause
#include "probes/probe.h"

#include <algorithm>
#include <iterator>

namespace probes {

void Argument::MakeText(uint64_t bytes) {
  type = {8, false, false, ArgumentType::Form::kText};
  operand.kind = FXR_PROBE_TEXT;
  operand.text_bytes = static_cast<fxr_u32>(bytes);
}

fxr_probe_spec MakeSpec(const Probe& probe) {
  fxr_probe_spec spec{};
  for (const Argument& argument : probe.shown) {
    spec.operands[spec.operand_count++] = argument.operand;
    if (argument.length) spec.operands[spec.operand_count++] = *argument.length;
    if (argument.type.form == ArgumentType::Form::kText) ++spec.text_count;
  }
  spec.sends_operands = !probe.shown.empty();
  spec.is_entry_only = probe.entry_only;
  if (probe.result && probe.result->type.form == ArgumentType::Form::kText) {
    spec.sends_result = 1;
    spec.result[0] = probe.result->operand;
    if (probe.result->length) spec.result[1] = *probe.result->length;
  }
  std::ranges::copy(probe.filter, std::begin(spec.comparisons));
  spec.comparison_count = static_cast<uint32_t>(probe.filter.size());
  return spec;
}

}  // namespace probes
