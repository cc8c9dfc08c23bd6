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
// Of fork (koid).
inline constexpr std::string_view kChild = "child";
// Of stacks: its number (pointer); of off and wake: ns since the thread left its CPU (uint64); of
// wake: the thread that is woken (koid).
inline constexpr std::string_view kStack = "stack";
inline constexpr std::string_view kAway = "away";
inline constexpr std::string_view kWoken = "woken";
}  // namespace argument

// The category of the losses that `fxt recover` declares: part of a file was damaged.
inline constexpr std::string_view kDamage = "damage";

}  // namespace schema
