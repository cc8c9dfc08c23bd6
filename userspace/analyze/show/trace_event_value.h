// SPDX-License-Identifier: BSD-2-Clause
// What of an FXT event has a counterpart in the Trace Event Format: its phase and its arguments.
#pragma once

#include <string_view>

#include "fxt/argument.h"
#include "fxt/format.h"
#include "text/json_writer.h"

namespace analyze {

// "Phases" of the Trace Event Format: one letter.
std::string_view TraceEventPhase(fxt::EventType type);

// Numbers as numbers, koids and bytes as strings.
void WriteTraceEventValue(text::JsonWriter& json, const fxt::ArgumentValue& value);

}  // namespace analyze
