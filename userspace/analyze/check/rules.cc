// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/check/rules.h"

namespace analyze {
namespace rules {
namespace {

constexpr Rule kAll[] = {
    kMalformed,
    kFraming,
    kTruncated,
    kUnknownType,
    kReservedBits,
    kPadding,
    kTrailingWords,
    kArgumentSize,
    kUndefinedString,
    kUndefinedThread,
    kUnknownProvider,
    kThreadState,
    kUtf8,
    kStringLength,
    kEventTimes,
    kUnmatchedEnd,
    kUnmatchedFlow,
    kLastBranch,
    kTableLimit,
    kSpanLimit,
    kPreamble,
    kSession,
    kTimeOrder,
    kSwitchLayout,
    kKoid,
    kUnnamed,
    kProcessArgument,
    kSplitProcess,
    kCommandLine,
    kIdle,
    kLinuxState,
    kPriority,
    kWakeup,
    kRedefined,
    kLargeRecord,
    kLoss,
    kContinuity,
    kLogInstant,
    kStack,
    kProviderSwitch,
    kProviderObject,
    kProviderLog,
    kProviderEvent,
    kProviderStack,
};

}  // namespace
}  // namespace rules

std::span<const Rule> Rules() { return rules::kAll; }

}  // namespace analyze
