// SPDX-License-Identifier: BSD-2-Clause
// What people call the records of the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "fxt/record.h"

namespace facts {

// The kinds of fxt::Record, events by their type. Both layouts of context switches are one kind.
enum class RecordKind : uint8_t {
  kMagic,
  kProviderInfo,
  kProviderSection,
  kProviderEvent,
  kTraceInfo,
  kInitialization,
  kString,
  kThread,
  kInstant,
  kCounter,
  kBegin,
  kEnd,
  kComplete,
  kAsyncBegin,
  kAsyncInstant,
  kAsyncEnd,
  kFlowBegin,
  kFlowStep,
  kFlowEnd,
  kBlob,
  kUserspaceObject,
  kKernelObject,
  kSwitch,
  kWakeup,
  kLog,
  kLargeBlob,
  kModule,
  kMmap,
  kBacktrace,
  kUnknown,
};
inline constexpr size_t kRecordKinds = static_cast<size_t>(RecordKind::kUnknown) + 1;

RecordKind KindOf(const fxt::Record& record);
// One lower-case word: "switch", "async-begin".
std::string_view NameOf(RecordKind kind);
std::optional<RecordKind> KindNamed(std::string_view name);
// A description for help texts.
std::string_view Explain(RecordKind kind);

// As the format calls it: "new", "blocked"; "?" for numbers without a name.
std::string_view NameOf(fxt::ThreadState state);

}  // namespace facts
