// SPDX-License-Identifier: BSD-2-Clause
// Gives a probe the arguments, the filter and the returned value that were asked for.
#pragma once

#include <string>
#include <vector>

#include "probes/argument_finder.h"
#include "probes/probe.h"
#include "probes/probe_text.h"
#include "util/result.h"

namespace probes {

// The values of the arguments and then of the filter that need type information.
std::vector<ValueText> NamedValues(const ProbeText& text);

// Sets `shown`, `filter` and `result`; where a function of a pattern returns nothing that can be
// read, clears `return_value`. `found` has what was found of NamedValues() and of the result; null:
// there is no type information, and `why_none` says why. Errors: a value cannot be read, more than
// the limits of fxr_probe_spec.
util::Status SetArguments(const ProbeText& text, const FunctionArguments* found,
                          const std::string& why_none, Probe* probe);

}  // namespace probes
