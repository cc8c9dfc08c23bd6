// SPDX-License-Identifier: BSD-2-Clause
// The recorder's description of a capture.
#pragma once

#include <optional>
#include <string_view>

#include "fxt/record.h"
#include "measure/capture.h"

namespace measure {

// Fills in where `capture` comes from. `event` is the session's instant (facts::IsSession);
// arguments that are missing or of another type leave things as they are.
void ReadSession(const fxt::Event& event, Capture& capture);

// Adds to the filters of `capture` what a part of it was chosen by; `event` is the mark of `fxt
// trim` (facts::IsFilteringTrim).
void ReadTrim(const fxt::Event& event, Capture& capture);

// The process of the command that was recorded; empty without one.
std::optional<fxt::Koid> CommandOf(const fxt::Event& session);

// Seconds since 1970 of a time like "2026-01-31T23:59:58.125+02:00"; empty for other texts.
std::optional<double> ParseTime(std::string_view text);

}  // namespace measure
