// SPDX-License-Identifier: BSD-2-Clause
// The schema of the tables of `fxt query`, the SQLite extension and `fxt export`. docs/tables.md
// documents it, and a test compares both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tables {

enum class Table : uint8_t {
  kCaptures,
  kProcesses,
  kThreads,
  kCpus,
  kSlices,
  kIdle,
  kWaits,
  kWakeups,
  kInstants,
  kSpans,
  kCounters,
  kLogs,
  kLosses,
  kBlobs,
  kSettings,
  kRequests,
  kPath,
  kStacks,
  kFrames,
  kSymbols,
};
inline constexpr size_t kTables = static_cast<size_t>(Table::kSymbols) + 1;

enum class Type : uint8_t { kInteger, kReal, kText };

struct Column {
  // Columns that select rows before they are made.
  enum class Role : uint8_t { kPlain, kTime, kCpu, kTid };

  std::string_view name;
  Type type = Type::kInteger;
  bool nullable = false;
  Role role = Role::kPlain;
  // Has few different values; equal texts have the same address.
  bool repeats = false;
};

struct TableInfo {
  Table table = Table::kCaptures;
  std::string_view name;
  std::span<const Column> columns;  // at most kMaxColumns
};
inline constexpr size_t kMaxColumns = 32;

// Columns that are functions of one object, such as the thread of a row. A scan can produce the
// number of that object instead, if the group is requested like a column: there are many times
// fewer threads than rows. TaskCells, FactRows or RowBatch have the cells of a number.
struct ColumnGroup {
  enum class Of : uint8_t {
    kTask,     // numbers of TaskCells
    kTerms,    // of FactRows::PutTerm()
    kDetails,  // of RowBatch::detail()
  };
  struct Member {
    uint8_t column = 0;
    uint8_t cell = 0;  // of the object
  };
  Of of = Of::kTask;
  std::span<const Member> members;
};
// Bits of all columns, without groups.
inline constexpr uint64_t kAllColumns = (uint64_t{1} << kMaxColumns) - 1;
// The number of the first group among columns.
inline constexpr uint8_t kFirstGroup = kMaxColumns;
inline constexpr size_t kMaxGroups = 5;
// The groups of a table's columns, in the order of their numbers; most tables have none.
std::span<const ColumnGroup> GroupsOf(Table table);
// Columns of a thread in TaskCells.
enum TaskCell : uint8_t {
  kTaskTid,
  kTaskPid,
  kTaskThread,
  kTaskProcess,
  kTaskKoid,
  kTaskCellCount
};

// In order of Table.
std::span<const TableInfo> Tables();
const TableInfo& InfoOf(Table table);
std::optional<Table> TableNamed(std::string_view name);

// Columns by number, in the order of TableInfo::columns.
namespace captures {
enum Column : uint8_t {
  kCapture,
  kFile,
  kHost,
  kKernel,
  kRecorder,
  kStartTime,
  kBeginTs,
  kEndTs,
  kCpus,
  kRecords,
  kSwitches,
  kWakeups,
  kLostEvents,
  kUnseenSwitches,
  kTruncated,
  kMalformed,
  kSession,
};
}  // namespace captures
namespace processes {
enum Column : uint8_t { kPid, kKoid, kName, kPpid, kUid, kCgroup, kCmdline, kFirstTs, kLastTs };
}  // namespace processes
namespace threads {
enum Column : uint8_t { kTid, kKoid, kPid, kName, kProcess, kFirstTs, kLastTs };
}  // namespace threads
namespace cpus {
enum Column : uint8_t { kCpu, kSwitches, kWakeups, kBusyNs, kIdleNs, kUnknownNs };
}  // namespace cpus
namespace slices {
enum Column : uint8_t {
  kTs,
  kDur,
  kCpu,
  kTid,
  kPid,
  kThread,
  kProcess,
  kPriority,
  kEndState,
  kKoid,
  kLength,
  kBegan,
  kEnded,
};
enum Group : uint8_t { kTask = kFirstGroup, kTerms };
}  // namespace slices
namespace idle {
enum Column : uint8_t { kTs, kDur, kCpu, kLength, kBegan, kEnded };
enum Group : uint8_t { kTerms = kFirstGroup };
}  // namespace idle
namespace waits {
enum Column : uint8_t {
  kTs,
  kDur,
  kKind,
  kTid,
  kPid,
  kThread,
  kProcess,
  kCpu,
  kWakerTid,
  kWaker,
  kPreemptorTid,
  kPreemptor,
  kState,
  kKoid,
  kLength,
  kBegan,
  kEnded,
  kCertain,
  kWaitsFor,
  kReason,
  kVia,
  kThrottledBy,
  kSyscall,
  kObjectKind,
  kObject,
  kPeer,
  kAsked,
  kRtThrottled,
  kAffinity,
  kWeight,
  kStack,
  kWaitsColumns,  // count
};
enum Group : uint8_t { kTask = kFirstGroup, kWakerTask, kPreemptorTask, kTerms, kDetails };
}  // namespace waits
namespace wakeups {
enum Column : uint8_t {
  kTs,
  kCpu,
  kTid,
  kWakerTid,
  kPid,
  kThread,
  kProcess,
  kWaker,
  kKoid,
  kVia,
  kStack,
  kWakeupsColumns,  // count
};
enum Group : uint8_t { kTask = kFirstGroup, kWakerTask };
}  // namespace wakeups
namespace instants {
enum Column : uint8_t {
  kTs,
  kCategory,
  kName,
  kTid,
  kPid,
  kThread,
  kProcess,
  kCpu,
  kArgs,
  kId,
  kKoid,
  kProvider,
  kStack,
};
}  // namespace instants
namespace spans {
enum Column : uint8_t {
  kTs,
  kDur,
  kCategory,
  kName,
  kTid,
  kPid,
  kThread,
  kProcess,
  kCpu,
  kArgs,
  kId,
  kKoid,
  kProvider,
};
}  // namespace spans
namespace counters {
enum Column : uint8_t { kTs, kCategory, kName, kSeries, kValue, kId, kTid, kPid, kProvider };
}  // namespace counters
namespace logs {
enum Column : uint8_t { kTs, kMessage, kTid, kPid, kThread, kProcess, kCpu, kKoid, kProvider };
}  // namespace logs
namespace losses {
enum Column : uint8_t { kTs, kKind, kCpu, kCategory, kCount, kProvider };
}  // namespace losses
namespace blobs {
enum Column : uint8_t { kTs, kName, kType, kBytes, kCpu, kTid, kProvider };
}  // namespace blobs
namespace settings {
enum Column : uint8_t { kTs, kScope, kSubject, kPid, kKoid, kName, kValue };
}  // namespace settings
namespace requests {
enum Column : uint8_t { kId, kName, kTs, kDur, kTid, kPid, kTraceId, kArgs };
}  // namespace requests
namespace path_parts {
enum Column : uint8_t { kRequest, kTs, kDur, kKind, kTid, kWaitedFor, kObject, kStack };
}  // namespace path_parts
namespace stacks {
enum Column : uint8_t { kId, kFrames, kKernelFrames, kEnd, kPid };
}  // namespace stacks
namespace frames {
enum Column : uint8_t {
  kStack,
  kDepth,
  kAddress,
  kKernel,
  kSymbol,
  kFunction,
  kModule,
  kOffset,
  kLine,
};
}  // namespace frames
namespace stack_symbols {
enum Column : uint8_t { kId, kName, kModule, kBuildId, kStart, kSize, kPid };
}  // namespace stack_symbols

}  // namespace tables
