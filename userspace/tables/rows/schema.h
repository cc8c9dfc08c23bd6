// SPDX-License-Identifier: BSD-2-Clause
// What the tables are called and what they have: the one schema of `fxt query`, of the SQLite
// extension and of `fxt export`. docs/tables.md explains it, and a test holds it to this.
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
  // What rows can be chosen by before they are made.
  enum class Role : uint8_t { kPlain, kTime, kCpu, kTid };

  std::string_view name;
  Type type = Type::kInteger;
  bool nullable = false;
  Role role = Role::kPlain;
  // Has few different values; texts of the same content are in the same place.
  bool repeats = false;
};

struct TableInfo {
  Table table = Table::kCaptures;
  std::string_view name;
  std::span<const Column> columns;  // at most kMaxColumns
};
inline constexpr size_t kMaxColumns = 32;

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
}  // namespace slices
namespace idle {
enum Column : uint8_t { kTs, kDur, kCpu, kLength, kBegan, kEnded };
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
enum Column : uint8_t { kStack, kDepth, kAddress, kKernel, kSymbol, kFunction, kModule, kOffset };
}  // namespace frames
namespace stack_symbols {
enum Column : uint8_t { kId, kName, kModule, kBuildId, kStart, kSize, kPid };
}  // namespace stack_symbols

}  // namespace tables
