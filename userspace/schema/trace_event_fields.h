// SPDX-License-Identifier: BSD-2-Clause
// Further fields of Trace Event JSON that are kept as arguments (names.h has the others).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "schema/names.h"

namespace schema {

// Arguments of a kernel object: the JSON `args` of a metadata event, by the event's name behind
// this.
inline constexpr std::string_view kMetadataPrefix = "metadata.";

// The process that stands for `fxt import` in the files that it makes.
inline constexpr std::string_view kImporterName = "fxt import";

}  // namespace schema

namespace schema::field {

// Frames that "sf" and "esf" named, root first, a line each: "name (category)".
inline constexpr std::string_view kFrames = "frames";
inline constexpr std::string_view kEndFrames = "end_frames";
// Arguments that are no object.
inline constexpr std::string_view kArguments = "args";
inline constexpr std::string_view kBindId = "bind_id";
inline constexpr std::string_view kFlowIn = "flow_in";
inline constexpr std::string_view kFlowOut = "flow_out";
inline constexpr std::string_view kBindingPoint = "bp";
// By how much a flow end is later than in the JSON, since it waited for its span; ns.
inline constexpr std::string_view kLate = "late";

// The duration (ns, int64) of a complete event that overlaps another one of its thread and is an
// async span therefore.
inline constexpr std::string_view kDuration = "dur";

// Values of kPhase that are no phases. An element of "samples"; one that names its process, too.
inline constexpr std::string_view kSample = "samples";
inline constexpr std::string_view kProcessSample = "samples.pid";
// What another event of the JSON says besides: it is no event there.
inline constexpr std::string_view kMade = "made";

}  // namespace schema::field

namespace schema {

// A name as it stands among those of field::kJson: never empty, without line breaks.
inline std::string JsonArgumentLine(std::string_view name) {
  std::string line(name.empty() ? "\r" : name);
  std::replace(line.begin(), line.end(), '\n', '\r');
  return line;
}

}  // namespace schema
