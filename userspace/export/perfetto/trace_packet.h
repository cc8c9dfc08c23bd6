// SPDX-License-Identifier: BSD-2-Clause
// Numbers of the fields of Perfetto's trace packets that `fxt export --format perfetto` writes. The
// names are those of Perfetto's published descriptors (protos/perfetto/trace in its source), so
// that each number can be looked up there; tests/viewer/perfetto.proto has the same fields for a
// protobuf library.
#pragma once

#include "export/perfetto/proto_writer.h"

namespace exporting::perfetto {

namespace trace {
inline constexpr FieldNumber kPacket = 1;
}  // namespace trace

namespace packet {
inline constexpr FieldNumber kFtraceEvents = 1;
inline constexpr FieldNumber kProcessTree = 2;
inline constexpr FieldNumber kClockSnapshot = 6;
inline constexpr FieldNumber kTimestamp = 8;
inline constexpr FieldNumber kSequenceId = 10;  // trusted_packet_sequence_id
inline constexpr FieldNumber kTrackEvent = 11;
inline constexpr FieldNumber kInternedData = 12;
inline constexpr FieldNumber kSequenceFlags = 13;
inline constexpr FieldNumber kSystemInfo = 45;
inline constexpr FieldNumber kDefaults = 59;  // trace_packet_defaults
inline constexpr FieldNumber kTrackDescriptor = 60;
inline constexpr FieldNumber kPerfSample = 66;
inline constexpr FieldNumber kJournaldEvent = 132;
inline constexpr FieldNumber kStackSample = 135;
// Values of sequence_flags.
inline constexpr uint32_t kStateCleared = 1;  // SEQ_INCREMENTAL_STATE_CLEARED
inline constexpr uint32_t kNeedsState = 2;    // SEQ_NEEDS_INCREMENTAL_STATE
}  // namespace packet

namespace packet_defaults {
inline constexpr FieldNumber kPerfSample = 12;
inline constexpr FieldNumber kStackSample = 100;
}  // namespace packet_defaults

namespace clock_snapshot {
inline constexpr FieldNumber kClocks = 1;
inline constexpr FieldNumber kPrimaryTraceClock = 2;
inline constexpr FieldNumber kClockId = 1;    // of a clock
inline constexpr FieldNumber kTimestamp = 2;  // of a clock
inline constexpr uint32_t kRealtime = 1;
inline constexpr uint32_t kBoottime = 6;
}  // namespace clock_snapshot

namespace system_info {
inline constexpr FieldNumber kUtsname = 1;
inline constexpr FieldNumber kCpus = 8;     // num_cpus
inline constexpr FieldNumber kSysname = 1;  // of utsname, like those below
inline constexpr FieldNumber kRelease = 3;
inline constexpr FieldNumber kMachine = 4;
}  // namespace system_info

namespace process_tree {
inline constexpr FieldNumber kProcesses = 1;
inline constexpr FieldNumber kThreads = 2;
namespace process {
inline constexpr FieldNumber kPid = 1;
inline constexpr FieldNumber kParent = 2;  // ppid
inline constexpr FieldNumber kCommandLine = 3;
inline constexpr FieldNumber kUser = 5;  // uid
inline constexpr FieldNumber kCommandLineIsComm = 9;
}  // namespace process
namespace thread {
inline constexpr FieldNumber kTid = 1;
inline constexpr FieldNumber kName = 2;
inline constexpr FieldNumber kProcess = 3;  // tgid
}  // namespace thread
}  // namespace process_tree

namespace journald_event {
inline constexpr FieldNumber kPid = 1;
inline constexpr FieldNumber kTid = 2;
inline constexpr FieldNumber kPriority = 5;  // prio, as of syslog(3)
inline constexpr FieldNumber kTag = 6;
inline constexpr FieldNumber kMessage = 7;
inline constexpr FieldNumber kComm = 8;
inline constexpr FieldNumber kTransport = 12;
}  // namespace journald_event

namespace ftrace_bundle {
inline constexpr FieldNumber kCpu = 1;
inline constexpr FieldNumber kEvent = 2;
inline constexpr FieldNumber kLostEvents = 3;
inline constexpr FieldNumber kCompactSched = 4;
}  // namespace ftrace_bundle

namespace compact_sched {
inline constexpr FieldNumber kSwitchTimestamp = 1;
inline constexpr FieldNumber kSwitchPrevState = 2;
inline constexpr FieldNumber kSwitchNextPid = 3;
inline constexpr FieldNumber kSwitchNextPrio = 4;
inline constexpr FieldNumber kInternTable = 5;
inline constexpr FieldNumber kSwitchNextComm = 6;  // switch_next_comm_index
inline constexpr FieldNumber kWakingTimestamp = 7;
inline constexpr FieldNumber kWakingPid = 8;
inline constexpr FieldNumber kWakingTargetCpu = 9;
inline constexpr FieldNumber kWakingPrio = 10;
inline constexpr FieldNumber kWakingComm = 11;   // waking_comm_index
inline constexpr FieldNumber kWakingFlags = 12;  // waking_common_flags
inline constexpr uint32_t kFlagHardirq = 0x08;   // TRACE_FLAG_HARDIRQ of the kernel
}  // namespace compact_sched

namespace ftrace_event {
inline constexpr FieldNumber kTimestamp = 1;
inline constexpr FieldNumber kPid = 2;
inline constexpr FieldNumber kSchedSwitch = 4;
inline constexpr FieldNumber kBlockedReason = 18;
inline constexpr FieldNumber kSchedWaking = 20;
namespace sched_switch {
inline constexpr FieldNumber kPrevComm = 1;
inline constexpr FieldNumber kPrevPid = 2;
inline constexpr FieldNumber kPrevPrio = 3;
inline constexpr FieldNumber kPrevState = 4;
inline constexpr FieldNumber kNextComm = 5;
inline constexpr FieldNumber kNextPid = 6;
inline constexpr FieldNumber kNextPrio = 7;
}  // namespace sched_switch
namespace sched_waking {
inline constexpr FieldNumber kComm = 1;
inline constexpr FieldNumber kPid = 2;
inline constexpr FieldNumber kPrio = 3;
inline constexpr FieldNumber kSuccess = 4;
inline constexpr FieldNumber kTargetCpu = 5;
}  // namespace sched_waking
namespace blocked_reason {
inline constexpr FieldNumber kPid = 1;
inline constexpr FieldNumber kCaller = 2;  // iid of InternedData.kernel_symbols
inline constexpr FieldNumber kIoWait = 3;
}  // namespace blocked_reason
}  // namespace ftrace_event

namespace track_descriptor {
inline constexpr FieldNumber kUuid = 1;
inline constexpr FieldNumber kName = 2;
inline constexpr FieldNumber kProcess = 3;
inline constexpr FieldNumber kThread = 4;
inline constexpr FieldNumber kParentUuid = 5;
inline constexpr FieldNumber kCounter = 8;
namespace process {
inline constexpr FieldNumber kPid = 1;
inline constexpr FieldNumber kName = 6;    // process_name
inline constexpr FieldNumber kLabels = 8;  // process_labels
}  // namespace process
namespace thread {
inline constexpr FieldNumber kPid = 1;
inline constexpr FieldNumber kTid = 2;
inline constexpr FieldNumber kName = 5;  // thread_name
}  // namespace thread
}  // namespace track_descriptor

namespace track_event {
inline constexpr FieldNumber kCategoryIids = 3;
inline constexpr FieldNumber kDebugAnnotations = 4;
inline constexpr FieldNumber kLegacyEvent = 6;
inline constexpr FieldNumber kType = 9;
inline constexpr FieldNumber kNameIid = 10;
inline constexpr FieldNumber kTrackUuid = 11;
inline constexpr FieldNumber kCounterValue = 30;
inline constexpr FieldNumber kDoubleCounterValue = 44;
enum Type : uint32_t { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4 };
namespace legacy {
inline constexpr FieldNumber kPhase = 2;
inline constexpr FieldNumber kUnscopedId = 6;
inline constexpr FieldNumber kBindToEnclosing = 12;
}  // namespace legacy
}  // namespace track_event

namespace annotation {
inline constexpr FieldNumber kNameIid = 1;
inline constexpr FieldNumber kBool = 2;
inline constexpr FieldNumber kUint = 3;
inline constexpr FieldNumber kInt = 4;
inline constexpr FieldNumber kDouble = 5;
inline constexpr FieldNumber kString = 6;
inline constexpr FieldNumber kPointer = 7;
inline constexpr FieldNumber kStringIid = 17;
}  // namespace annotation

namespace interned {
inline constexpr FieldNumber kCategories = 1;  // event_categories
inline constexpr FieldNumber kEventNames = 2;
inline constexpr FieldNumber kAnnotationNames = 3;
inline constexpr FieldNumber kFunctionNames = 5;
inline constexpr FieldNumber kFrames = 6;
inline constexpr FieldNumber kCallstacks = 7;
inline constexpr FieldNumber kBuildIds = 16;
inline constexpr FieldNumber kMappingPaths = 17;
inline constexpr FieldNumber kMappings = 19;
inline constexpr FieldNumber kKernelSymbols = 26;
inline constexpr FieldNumber kAnnotationTexts = 29;  // debug_annotation_string_values
// The id of each interned entry.
inline constexpr FieldNumber kIid = 1;
inline constexpr FieldNumber kText = 2;  // name, or str
namespace mapping {
inline constexpr FieldNumber kBuildId = 2;
inline constexpr FieldNumber kPathIds = 7;  // path_string_ids
}  // namespace mapping
namespace frame {
inline constexpr FieldNumber kFunctionName = 2;  // function_name_id
inline constexpr FieldNumber kMapping = 3;       // mapping_id
inline constexpr FieldNumber kRelPc = 4;
inline constexpr FieldNumber kKind = 7;
inline constexpr uint32_t kNative = 1;
inline constexpr uint32_t kKernel = 2;
}  // namespace frame
namespace callstack {
inline constexpr FieldNumber kFrames = 2;  // frame_ids, outermost first
}  // namespace callstack
}  // namespace interned

namespace stack_sample {
inline constexpr FieldNumber kTask = 1;       // task_context
inline constexpr FieldNumber kExecution = 3;  // execution_context
inline constexpr FieldNumber kCallstackIid = 6;
inline constexpr FieldNumber kWeight = 11;  // primary_weight
namespace task {
inline constexpr FieldNumber kPid = 2;
inline constexpr FieldNumber kTid = 3;
}  // namespace task
namespace defaults {
inline constexpr FieldNumber kSource = 1;
inline constexpr FieldNumber kPrimary = 2;  // primary_descriptor
}  // namespace defaults
namespace counter {
inline constexpr FieldNumber kName = 2;
inline constexpr FieldNumber kUnit = 3;
inline constexpr uint32_t kNanoseconds = 1;
inline constexpr uint32_t kCount = 9;
}  // namespace counter
}  // namespace stack_sample

namespace perf_sample {
inline constexpr FieldNumber kPid = 2;
inline constexpr FieldNumber kTid = 3;
inline constexpr FieldNumber kCallstackIid = 4;
inline constexpr FieldNumber kTimebaseCount = 6;
}  // namespace perf_sample

}  // namespace exporting::perfetto
