// SPDX-License-Identifier: BSD-2-Clause
#include "perf/live/lbr_options.h"

#include <fmt/core.h>

#include "perf/record/perf_abi.h"

namespace perf {

namespace {

struct FilterName {
  std::string_view name;
  uint64_t bits;
};
// The names of perf record --branch-filter, with the short forms "call" and "return".
constexpr FilterName kFilterNames[] = {
    {"user", PERF_SAMPLE_BRANCH_USER},
    {"kernel", PERF_SAMPLE_BRANCH_KERNEL},
    {"hv", PERF_SAMPLE_BRANCH_HV},
    {"any", PERF_SAMPLE_BRANCH_ANY},
    {"call", PERF_SAMPLE_BRANCH_ANY_CALL},
    {"return", PERF_SAMPLE_BRANCH_ANY_RETURN},
    {"cond", PERF_SAMPLE_BRANCH_COND},
    {"ind_call", PERF_SAMPLE_BRANCH_IND_CALL},
    {"ind_jump", PERF_SAMPLE_BRANCH_IND_JUMP},
    {"direct_call", PERF_SAMPLE_BRANCH_CALL},
    {"in_tx", PERF_SAMPLE_BRANCH_IN_TX},
    {"no_tx", PERF_SAMPLE_BRANCH_NO_TX},
    {"abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX},
    {"call_stack", PERF_SAMPLE_BRANCH_CALL_STACK},
};
// perf's own names of the short forms.
constexpr FilterName kAliases[] = {
    {"u", PERF_SAMPLE_BRANCH_USER},
    {"k", PERF_SAMPLE_BRANCH_KERNEL},
    {"any_call", PERF_SAMPLE_BRANCH_ANY_CALL},
    {"any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN},
    {"ret", PERF_SAMPLE_BRANCH_ANY_RETURN},
};
constexpr uint64_t kKinds =
    PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_ANY_RETURN |
    PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_IND_CALL | PERF_SAMPLE_BRANCH_IND_JUMP |
    PERF_SAMPLE_BRANCH_CALL | PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_ABORT_TX;

uint64_t BitsOf(std::string_view word) {
  for (const FilterName& known : kFilterNames) {
    if (known.name == word) return known.bits;
  }
  for (const FilterName& known : kAliases) {
    if (known.name == word) return known.bits;
  }
  return 0;
}

}  // namespace

util::Result<uint64_t> ParseLbrFilter(std::string_view text) {
  uint64_t filter = 0;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    const uint64_t bits = BitsOf(word);
    if (bits == 0) {
      std::string known;
      for (const FilterName& each : kFilterNames)
        known.append(known.empty() ? "" : ", ").append(each.name);
      return util::Error{fmt::format("unknown branch filter \"{}\"", word), "known are: " + known};
    }
    filter |= bits;
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  if ((filter & PERF_SAMPLE_BRANCH_PLM_ALL) == 0) {
    filter |= PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL;
  }
  if ((filter & kKinds) == 0) filter |= PERF_SAMPLE_BRANCH_ANY;
  return filter;
}

std::string LbrFilterText(uint64_t filter) {
  std::string text;
  for (const FilterName& word : kFilterNames) {
    if (filter & word.bits) text.append(text.empty() ? "" : ",").append(word.name);
  }
  return text;
}

}  // namespace perf
