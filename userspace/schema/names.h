// SPDX-License-Identifier: BSD-2-Clause
// What the records of our files and their arguments are called, once for those who write them and
// those who read them again. Events of a category that stand for a tracepoint have its name in
// include/fxt_record/event_table.h; who alone writes a name and reads it nowhere keeps it.
#pragma once

#include <string_view>

namespace schema {

// The name of the recorder's provider, and the category of what it says about a recording.
inline constexpr std::string_view kRecorderName = "fxt-record";

// Categories of the event table that readers look for.
namespace category {
inline constexpr std::string_view kSched = "sched";
inline constexpr std::string_view kTask = "task";
inline constexpr std::string_view kLog = "log";
inline constexpr std::string_view kStack = "stack";
}  // namespace category

namespace event {
// Instants of the recorder's category. The first one of a recording: how it was made.
inline constexpr std::string_view kSession = "session";
// What `fxt trim` leaves in a smaller file.
inline constexpr std::string_view kTrimmed = "trimmed";
// What a snapshot is about: a trigger fired here; with trigger, and value and thread where there
// are any, and the wall clock's time.
inline constexpr std::string_view kTrigger = "trigger";
// The recording was stopped, and started again later into the same buffer.
inline constexpr std::string_view kStopped = "stopped";
inline constexpr std::string_view kStarted = "started";
// An instant with cpu, count and category, and a counter of the same name, per CPU.
inline constexpr std::string_view kLostEvents = "lost_events";
// A switch of `cpu` was not seen, though nothing was lost.
inline constexpr std::string_view kUnseenSwitch = "unseen_switch";
// Category sched: the Linux state of the switch right behind it.
inline constexpr std::string_view kLinuxState = "linux_state";
// Category task.
inline constexpr std::string_view kFork = "fork";
inline constexpr std::string_view kExec = "exec";
inline constexpr std::string_view kExit = "exit";
inline constexpr std::string_view kRename = "rename";
// Category sched.
inline constexpr std::string_view kMigrate = "migrate";
// Category stack, see stack_id.h: of a thread that was away and runs again, as it was when it left;
// of the thread that wakes it; of a thread that runs.
inline constexpr std::string_view kStackOff = "off";
inline constexpr std::string_view kStackWake = "wake";
inline constexpr std::string_view kStackOn = "on";
}  // namespace event

namespace argument {
// Of thread objects (koid); of process objects.
inline constexpr std::string_view kProcess = "process";
inline constexpr std::string_view kParent = "ppid";
inline constexpr std::string_view kUser = "uid";
inline constexpr std::string_view kCgroup = "cgroup";
inline constexpr std::string_view kCommandLine = "cmdline";
inline constexpr std::string_view kCommandLineCut = "cmdline_cut";
// Of wakeups (koid).
inline constexpr std::string_view kWaker = "waker";
// Of lost_events, and the first of unseen_switch and blobs.
inline constexpr std::string_view kCpu = "cpu";
inline constexpr std::string_view kCount = "count";
inline constexpr std::string_view kCategory = "category";
inline constexpr std::string_view kBytes = "bytes";
// Of linux_state: letters, see linux_state.h.
inline constexpr std::string_view kState = "state";
// Of session and trimmed; not empty where records are left out.
inline constexpr std::string_view kFilters = "filters";
// Of session: the process that was recorded's command.
inline constexpr std::string_view kCommandPid = "command_pid";
// Of migrate, and of trimmed.
inline constexpr std::string_view kFrom = "from";
// Of trigger: the trigger as it was given; what was measured; the thread that it happened to.
inline constexpr std::string_view kTrigger = "trigger";
inline constexpr std::string_view kValue = "value";
inline constexpr std::string_view kThread = "thread";
// Of session: ns by which other clocks of the machine are ahead of the file's (int64).
inline constexpr std::string_view kRealtimeAhead = "realtime_ahead";
inline constexpr std::string_view kMonotonicAhead = "monotonic_ahead";
// Of fork (koid).
inline constexpr std::string_view kChild = "child";
// Of stacks: its number (pointer); of off and wake: ns since the thread left its CPU (uint64); of
// wake: the thread that is woken (koid).
inline constexpr std::string_view kStack = "stack";
inline constexpr std::string_view kAway = "away";
inline constexpr std::string_view kWoken = "woken";
}  // namespace argument

// What comes from Trace Event JSON. The name of its provider.
inline constexpr std::string_view kTraceEventProvider = "trace_event";
// True for the name of a provider whose sections have the kernel's facts: the recorder's own and
// imported ones. A program that takes part in a recording cannot have these names.
constexpr bool IsKernelProvider(std::string_view name) {
  return name == kRecorderName || name == kTraceEventProvider;
}
// The instant, of the recorder's category, that says where an imported file comes from.
inline constexpr std::string_view kImport = "import";
// A field of an event that records have no place for is an argument with this before its name;
// `fxt json` makes it a field again.
inline constexpr char kFieldMark = '.';
namespace field {
inline constexpr std::string_view kPhase = "ph";
inline constexpr std::string_view kId = "id";
inline constexpr std::string_view kLocalId = "id2.local";
inline constexpr std::string_view kGlobalId = "id2.global";
inline constexpr std::string_view kScope = "scope";
inline constexpr std::string_view kInstantScope = "s";
// Frames, root first, a line each; ids of frames that nothing explains.
inline constexpr std::string_view kStack = "stack";
inline constexpr std::string_view kEndStack = "estack";
inline constexpr std::string_view kFrame = "sf";
inline constexpr std::string_view kEndFrame = "esf";
// Names of arguments whose text is JSON, a line each.
inline constexpr std::string_view kJson = "json";
}  // namespace field
// Arguments beyond those that a record has room for, as one JSON object.
inline constexpr std::string_view kMoreArguments = "(more)";
// Of thread and process objects: the number that another recording has for it, where the koid is
// another one.
namespace argument {
inline constexpr std::string_view kTid = "tid";
inline constexpr std::string_view kPid = "pid";
}  // namespace argument

// The category of the losses that `fxt recover` declares: part of a file was damaged.
inline constexpr std::string_view kDamage = "damage";

}  // namespace schema
