// SPDX-License-Identifier: BSD-2-Clause
// The fields of events in the Trace Event Format.
#pragma once

#include <cstdint>
#include <string_view>

namespace importer {

// Fields that the importer interprets; kUnknown and kExtra are the rest.
enum class EventField : uint8_t {
  kUnknown,
  kPhase,
  kName,
  kCategory,
  kTime,
  kDuration,
  kPid,
  kTid,
  kId,
  kId2,
  kScope,
  kInstantScope,
  kBindingPoint,
  kFrame,
  kEndFrame,
  kStack,
  kEndStack,
  kParent,
  kBindId,
  kFlowIn,
  kFlowOut,
  kArguments,
  kExtra,
};

EventField FieldNamed(std::string_view name);

}  // namespace importer
