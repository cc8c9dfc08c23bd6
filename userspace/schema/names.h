// SPDX-License-Identifier: BSD-2-Clause
// Names of the records and arguments of our files, shared by writers and readers. Events of a
// tracepoint category are named in include/fxt_record/event_table.h. A name that no reader needs is
// local to its writer.
#pragma once

#include <string_view>

namespace schema {

// The name of the recorder's provider, and the category of its records about the recording.
inline constexpr std::string_view kRecorderName = "fxt-record";

// Categories of the event table that readers look for.
namespace category {
inline constexpr std::string_view kSched = "sched";
inline constexpr std::string_view kTask = "task";
inline constexpr std::string_view kLog = "log";
inline constexpr std::string_view kStack = "stack";
inline constexpr std::string_view kSettings = "settings";  // see settings.h
}  // namespace category

namespace event {
// Instants of the recorder's category. The first one of a recording describes it.
inline constexpr std::string_view kSession = "session";
// Written by `fxt trim` into the smaller file.
inline constexpr std::string_view kTrimmed = "trimmed";
// A trigger fired. Arguments: trigger, value and thread if there are any, wall-clock time.
inline constexpr std::string_view kTrigger = "trigger";
// The recording was stopped, and later started again into the same buffer.
inline constexpr std::string_view kStopped = "stopped";
inline constexpr std::string_view kStarted = "started";
// An instant with cpu, count and category, and a counter of the same name, per CPU.
inline constexpr std::string_view kLostEvents = "lost_events";
// The kernel did not report a switch of `cpu`, although no event was lost.
inline constexpr std::string_view kUnseenSwitch = "unseen_switch";
// Category sched: the kernel state of the outgoing thread of the next switch.
inline constexpr std::string_view kLinuxState = "linux_state";
// Category task.
inline constexpr std::string_view kFork = "fork";
inline constexpr std::string_view kExec = "exec";
inline constexpr std::string_view kExit = "exit";
inline constexpr std::string_view kRename = "rename";
// Category sched. Throttled: of a thread that comes to a CPU after its cgroup's quota was used up.
inline constexpr std::string_view kMigrate = "migrate";
inline constexpr std::string_view kThrottled = "throttled";
// Category stack, see stack_id.h: of a thread that runs again, as it was when it left the CPU; of
// its waker; of a running thread.
inline constexpr std::string_view kStackOff = "off";
inline constexpr std::string_view kStackWake = "wake";
inline constexpr std::string_view kStackOn = "on";
}  // namespace event

namespace argument {
// Arguments of thread objects (koid) and of process objects.
inline constexpr std::string_view kProcess = "process";
inline constexpr std::string_view kParent = "ppid";
inline constexpr std::string_view kUser = "uid";
inline constexpr std::string_view kCgroup = "cgroup";
inline constexpr std::string_view kCommandLine = "cmdline";
inline constexpr std::string_view kCommandLineCut = "cmdline_cut";
// Arguments of wakeups: the waker (koid), and `via`: kNetRx, or absent.
inline constexpr std::string_view kWaker = "waker";
inline constexpr std::string_view kVia = "via";
inline constexpr std::string_view kNetRx = "net_rx";
// Arguments of throttled: ns from the begin and from the end of that time to the event; the group's
// `cgroup`, and its limit in ns.
inline constexpr std::string_view kSince = "since";
inline constexpr std::string_view kUntil = "until";
inline constexpr std::string_view kQuota = "quota";
inline constexpr std::string_view kPeriod = "period";
// Arguments of lost_events; `cpu` also of unseen_switch and blobs.
inline constexpr std::string_view kCpu = "cpu";
inline constexpr std::string_view kCount = "count";
inline constexpr std::string_view kCategory = "category";
inline constexpr std::string_view kBytes = "bytes";
// Argument of linux_state: letters, see linux_state.h.
inline constexpr std::string_view kState = "state";
// Argument of session and trimmed; not empty if records are left out.
inline constexpr std::string_view kFilters = "filters";
// Argument of session: the process of the recorded command.
inline constexpr std::string_view kCommandPid = "command_pid";
// Arguments of migrate, and of trimmed.
inline constexpr std::string_view kFrom = "from";
// Arguments of trigger: its specification, the measured value, and the thread.
inline constexpr std::string_view kTrigger = "trigger";
inline constexpr std::string_view kValue = "value";
inline constexpr std::string_view kThread = "thread";
// Arguments of session: offset of other clocks from the file's, ns (int64).
inline constexpr std::string_view kRealtimeAhead = "realtime_ahead";
inline constexpr std::string_view kMonotonicAhead = "monotonic_ahead";
// Argument of session: the size of each CPU's ring buffer (uint64).
inline constexpr std::string_view kRingBytes = "ring_bytes";
// Argument of fork (koid).
inline constexpr std::string_view kChild = "child";
// Arguments of stacks: the stack id (pointer); of off and wake: ns since the switch-out of the
// thread (uint64); of wake: the woken thread (koid).
inline constexpr std::string_view kStack = "stack";
inline constexpr std::string_view kAway = "away";
inline constexpr std::string_view kWoken = "woken";
}  // namespace argument

// Traces imported from Trace Event JSON. The name of their provider.
inline constexpr std::string_view kTraceEventProvider = "trace_event";
// True for the name of a provider whose sections have the kernel's facts: the recorder's own and
// imported ones. A provider cannot have these names.
constexpr bool IsKernelProvider(std::string_view name) {
  return name == kRecorderName || name == kTraceEventProvider;
}
// The instant, of the recorder's category, that names the source of an imported file.
inline constexpr std::string_view kImport = "import";
// The prefix of arguments that hold a JSON field without a place in records. `fxt json` restores
// the field.
inline constexpr char kFieldMark = '.';
namespace field {
inline constexpr std::string_view kPhase = "ph";
inline constexpr std::string_view kId = "id";
inline constexpr std::string_view kLocalId = "id2.local";
inline constexpr std::string_view kGlobalId = "id2.global";
inline constexpr std::string_view kScope = "scope";
inline constexpr std::string_view kInstantScope = "s";
// Frames, root first, one per line; ids of frames that the file does not define.
inline constexpr std::string_view kStack = "stack";
inline constexpr std::string_view kEndStack = "estack";
inline constexpr std::string_view kFrame = "sf";
inline constexpr std::string_view kEndFrame = "esf";
// Names of the arguments whose text is JSON, one per line.
inline constexpr std::string_view kJson = "json";
}  // namespace field
// Arguments beyond the record's limit, as one JSON object.
inline constexpr std::string_view kMoreArguments = "(more)";
// Argument of thread and process objects: the original id, if the koid differs from it.
namespace argument {
inline constexpr std::string_view kTid = "tid";
inline constexpr std::string_view kPid = "pid";
}  // namespace argument

// The category of losses that `fxt recover` declares for a damaged part of a file.
inline constexpr std::string_view kDamage = "damage";

}  // namespace schema
