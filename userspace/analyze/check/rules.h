// SPDX-License-Identifier: BSD-2-Clause
// The rules that `fxt check` holds a trace against.
#pragma once

#include <span>
#include <string_view>

#include "analyze/check/finding.h"

namespace analyze {

struct Rule {
  std::string_view id;
  Severity severity;
  std::string_view text;  // the requirement
};

// Those of the format, then those of fxt-record's own files ("recorder-...").
std::span<const Rule> Rules();

namespace rules {

// The format.
inline constexpr Rule kMalformed{"malformed", Severity::kError,
                                 "a record has room for the contents that its header declares"};
inline constexpr Rule kFraming{"framing", Severity::kError, "no record has size 0"};
inline constexpr Rule kTruncated{"truncated", Severity::kWarning,
                                 "the file ends with a whole record"};
inline constexpr Rule kUnknownType{"unknown-type", Severity::kWarning,
                                   "record, event and argument types are those of the format"};
inline constexpr Rule kReservedBits{"reserved-bits", Severity::kError,
                                    "unused bits of header words are zero"};
inline constexpr Rule kPadding{"padding", Severity::kError,
                               "strings and payloads are padded with zeros"};
inline constexpr Rule kTrailingWords{"trailing-words", Severity::kWarning,
                                     "records are not longer than their contents"};
inline constexpr Rule kArgumentSize{"argument-size", Severity::kWarning,
                                    "arguments are not longer than their contents"};
inline constexpr Rule kUndefinedString{"undefined-string", Severity::kError,
                                       "a string index is defined before it is used"};
inline constexpr Rule kUndefinedThread{"undefined-thread", Severity::kError,
                                       "a thread index is defined before it is used"};
inline constexpr Rule kUnknownProvider{"unknown-provider", Severity::kError,
                                       "a provider is announced before its sections and events"};
inline constexpr Rule kThreadState{"thread-state", Severity::kError,
                                   "an outgoing thread is in a state of the format, not running"};
inline constexpr Rule kUtf8{"utf-8", Severity::kWarning,
                            "strings are UTF-8 (names of kernel objects may be any bytes)"};
inline constexpr Rule kStringLength{"string-length", Severity::kWarning,
                                    "strings have at most 32000 bytes"};
inline constexpr Rule kEventTimes{"event-times", Severity::kError,
                                  "a complete event does not end before it begins"};
inline constexpr Rule kUnmatchedEnd{"unmatched-end", Severity::kWarning,
                                    "a duration or async end has its begin before it"};
inline constexpr Rule kUnmatchedFlow{"unmatched-flow", Severity::kWarning,
                                     "a flow step or end has its begin before it"};
inline constexpr Rule kLastBranch{"last-branch", Severity::kError,
                                  "last-branch blobs have their layout and are named after the "
                                  "CPU"};
inline constexpr Rule kTableLimit{"table-limit", Severity::kWarning,
                                  "string tables stay within the limit of the reader"};
inline constexpr Rule kSpanLimit{"span-limit", Severity::kWarning,
                                 "open spans stay within the limit of the reader"};

// fxt-record's own files.
inline constexpr Rule kPreamble{"recorder-preamble", Severity::kError,
                                "magic number, provider info, provider section, initialization "
                                "with 1,000,000,000 ticks/s come first"};
inline constexpr Rule kSession{"recorder-session", Severity::kError,
                               "the first event is the instant that describes the recording"};
inline constexpr Rule kTimeOrder{"recorder-time-order", Severity::kError,
                                 "records are in time order"};
inline constexpr Rule kSwitchLayout{"recorder-switch-layout", Severity::kError,
                                    "switches have the legacy layout, CPUs above 255 excepted"};
inline constexpr Rule kKoid{"recorder-koid", Severity::kError, "koids are below 2^32"};
inline constexpr Rule kUnnamed{"recorder-unnamed", Severity::kError,
                               "threads and processes that records name have kernel objects"};
inline constexpr Rule kProcessArgument{"recorder-process", Severity::kError,
                                       "a thread's kernel object has its process as a koid, the "
                                       "same as in its records"};
inline constexpr Rule kSplitProcess{"recorder-split-process", Severity::kError,
                                    "a process is one object, with the id of its leader"};
inline constexpr Rule kCommandLine{"recorder-cmdline", Severity::kError,
                                   "a cut command line has its original length (uint64)"};
inline constexpr Rule kIdle{"recorder-idle", Severity::kError,
                            "idle is process 0, priority 0 and the CPU's own thread koid"};
inline constexpr Rule kLinuxState{"recorder-linux-state", Severity::kError,
                                  "a linux_state instant stands right before its switch and fits "
                                  "its state"};
inline constexpr Rule kPriority{"recorder-priority", Severity::kError, "priorities are 0 to 139"};
inline constexpr Rule kWakeup{"recorder-wakeup", Severity::kError,
                              "no wakeup of a thread that is on a CPU; the waker is a koid"};
inline constexpr Rule kRedefined{"recorder-redefined", Severity::kError,
                                 "an index is defined once within a provider"};
inline constexpr Rule kLargeRecord{"recorder-large-record", Severity::kError,
                                   "there are no large records"};
inline constexpr Rule kLoss{"recorder-loss", Severity::kError,
                            "a loss is a provider event, an instant with cpu, count and category, "
                            "and a counter"};
inline constexpr Rule kContinuity{
    "recorder-continuity", Severity::kError,
    "the outgoing thread of a CPU is the previous incoming one, except "
    "after declared losses and an exec that takes over the leader's id"};
inline constexpr Rule kLogInstant{"recorder-log", Severity::kError,
                                  "a log record is followed by its instant"};
inline constexpr Rule kStack{"recorder-stack", Severity::kError,
                             "an instant of a stack refers to an earlier backtrace, and has the "
                             "time off the CPU and the woken thread"};
// Sections of providers in a recording of fxt-record.
inline constexpr Rule kProviderSwitch{"recorder-provider-switch", Severity::kError,
                                      "switches and wakeups are in the recorder's section"};
inline constexpr Rule kProviderObject{"recorder-provider-object", Severity::kError,
                                      "kernel objects are in the recorder's section"};
inline constexpr Rule kProviderLog{"recorder-provider-log", Severity::kError,
                                   "log records are in the recorder's section"};
inline constexpr Rule kProviderEvent{"recorder-provider-event", Severity::kError,
                                     "events of the kernel's categories (syscall, irq, softirq, "
                                     "block, net, signal, oom, ...) are in the recorder's section"};
inline constexpr Rule kProviderStack{"recorder-provider-stack", Severity::kError,
                                     "last branches, modules, mappings and backtraces are in the "
                                     "recorder's section"};

}  // namespace rules

}  // namespace analyze
