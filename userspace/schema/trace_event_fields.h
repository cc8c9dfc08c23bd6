// SPDX-License-Identifier: BSD-2-Clause
// Further fields of Trace Event JSON that are stored as arguments; names.h has the others.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "schema/names.h"

namespace schema {

// Arguments of a kernel object: the JSON `args` of a metadata event, by the event's name behind
// this.
inline constexpr std::string_view kMetadataPrefix = "metadata.";

// The process that represents `fxt import` in the files it makes.
inline constexpr std::string_view kImporterName = "fxt import";

}  // namespace schema

namespace schema::field {

// The frames of "sf" and "esf", root first, one per line: "name (category)".
inline constexpr std::string_view kFrames = "frames";
inline constexpr std::string_view kEndFrames = "end_frames";
// An `args` value that is not an object.
inline constexpr std::string_view kArguments = "args";
inline constexpr std::string_view kBindId = "bind_id";
inline constexpr std::string_view kFlowIn = "flow_in";
inline constexpr std::string_view kFlowOut = "flow_out";
inline constexpr std::string_view kBindingPoint = "bp";
// Time by which a flow end is later than in the JSON, because it waited for its span; ns.
inline constexpr std::string_view kLate = "late";

// The duration (ns, int64) of a complete event that overlaps another one of its thread and is an
// async span therefore.
inline constexpr std::string_view kDuration = "dur";

// Values of kPhase for elements without a phase: an entry of "samples", without and with its
// process.
inline constexpr std::string_view kSample = "samples";
inline constexpr std::string_view kProcessSample = "samples.pid";
// Marks records that belong to another event of the JSON.
inline constexpr std::string_view kMade = "made";

}  // namespace schema::field

namespace schema {

// A name as a line of field::kJson: never empty, without line breaks.
inline std::string JsonArgumentLine(std::string_view name) {
  std::string line(name.empty() ? "\r" : name);
  std::replace(line.begin(), line.end(), '\n', '\r');
  return line;
}

}  // namespace schema
