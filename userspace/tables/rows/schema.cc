// SPDX-License-Identifier: BSD-2-Clause
#include "tables/rows/schema.h"

#include <algorithm>
#include <array>

namespace tables {
namespace {

using Role = Column::Role;

constexpr Column Integer(std::string_view name) { return {.name = name}; }
constexpr Column OptionalInteger(std::string_view name) { return {.name = name, .nullable = true}; }
constexpr Column Repeated(std::string_view name) {
  return {.name = name, .nullable = true, .repeats = true};
}
constexpr Column Text(std::string_view name) { return {.name = name, .type = Type::kText}; }
constexpr Column OptionalText(std::string_view name) {
  return {.name = name, .type = Type::kText, .nullable = true};
}
// One of a few words, or a name.
constexpr Column Word(std::string_view name) {
  return {.name = name, .type = Type::kText, .repeats = true};
}
constexpr Column Name(std::string_view name) {
  return {.name = name, .type = Type::kText, .nullable = true, .repeats = true};
}
constexpr Column kTs = {.name = "ts", .role = Role::kTime};
constexpr Column kDur = OptionalInteger("dur");
constexpr Column kCpu = {.name = "cpu", .role = Role::kCpu, .repeats = true};
constexpr Column kSomeCpu = {.name = "cpu", .nullable = true, .role = Role::kCpu, .repeats = true};
constexpr Column kTid = {.name = "tid", .nullable = true, .role = Role::kTid, .repeats = true};
constexpr Column kPid = Repeated("pid");
constexpr Column kThread = Name("thread");
constexpr Column kProcess = Name("process");
constexpr Column kKoid = {.name = "koid", .repeats = true};
constexpr Column kProvider = Name("provider");

constexpr Column kCapturesColumns[] = {
    Integer("capture"),       Text("file"),
    OptionalText("host"),     OptionalText("kernel"),
    OptionalText("recorder"), {.name = "start_time", .type = Type::kReal, .nullable = true},
    Integer("begin_ts"),      Integer("end_ts"),
    Integer("cpus"),          Integer("records"),
    Integer("switches"),      Integer("wakeups"),
    Integer("lost_events"),   Integer("unseen_switches"),
    Integer("truncated"),     Integer("malformed"),
    OptionalText("session"),
};
constexpr Column kProcessesColumns[] = {
    OptionalInteger("pid"),     Integer("koid"),
    OptionalText("name"),       OptionalInteger("ppid"),
    OptionalInteger("uid"),     OptionalText("cgroup"),
    OptionalText("cmdline"),    OptionalInteger("first_ts"),
    OptionalInteger("last_ts"),
};
constexpr Column kThreadsColumns[] = {
    OptionalInteger("tid"),     Integer("koid"),         OptionalInteger("pid"),
    OptionalText("name"),       OptionalText("process"), OptionalInteger("first_ts"),
    OptionalInteger("last_ts"),
};
constexpr Column kCpusColumns[] = {
    Integer("cpu"),     Integer("switches"), Integer("wakeups"),
    Integer("busy_ns"), Integer("idle_ns"),  Integer("unknown_ns"),
};
constexpr Column kSlicesColumns[] = {
    kTs,
    kDur,
    kCpu,
    kTid,
    kPid,
    kThread,
    kProcess,
    Repeated("priority"),
    Name("end_state"),
    kKoid,
    Integer("length"),
    Word("began"),
    Word("ended"),
};
constexpr Column kIdleColumns[] = {kTs,           kDur,         kCpu, Integer("length"),
                                   Word("began"), Word("ended")};
constexpr Column kWaitsColumns[] = {
    kTs,
    kDur,
    Word("kind"),
    kTid,
    kPid,
    kThread,
    kProcess,
    kSomeCpu,
    Repeated("waker_tid"),
    Name("waker"),
    Repeated("preemptor_tid"),
    Name("preemptor"),
    Name("state"),
    kKoid,
    Integer("length"),
    Word("began"),
    Word("ended"),
    {.name = "certain", .repeats = true},
    Name("waits_for"),
    OptionalText("reason"),
    Name("via"),
    Name("throttled_by"),
    OptionalText("syscall"),
    OptionalText("object_kind"),
    OptionalText("object"),
    Repeated("peer"),
    OptionalInteger("asked"),
    OptionalInteger("rt_throttled"),
    OptionalInteger("affinity"),
    OptionalInteger("weight"),
    OptionalInteger("stack"),
};
constexpr Column kWakeupsColumns[] = {
    kTs,           kCpu,  kTid,        Repeated("waker_tid"),    kPid, kThread, kProcess,
    Name("waker"), kKoid, Name("via"), OptionalInteger("stack"),
};
constexpr Column kInstantsColumns[] = {
    kTs,
    Text("category"),
    Text("name"),
    kTid,
    kPid,
    kThread,
    kProcess,
    kSomeCpu,
    OptionalText("args"),
    OptionalInteger("id"),
    kKoid,
    kProvider,
    OptionalInteger("stack"),
};
constexpr Column kSpansColumns[] = {
    kTs,      kDur,     Text("category"),     Text("name"),          kTid,  kPid,      kThread,
    kProcess, kSomeCpu, OptionalText("args"), OptionalInteger("id"), kKoid, kProvider,
};
constexpr Column kCountersColumns[] = {
    kTs,
    Text("category"),
    Text("name"),
    Text("series"),
    {.name = "value", .type = Type::kReal, .nullable = true},
    Integer("id"),
    kTid,
    kPid,
    kProvider,
};
constexpr Column kLogsColumns[] = {
    kTs, Text("message"), kTid, kPid, kThread, kProcess, kSomeCpu, kKoid, kProvider,
};
constexpr Column kLossesColumns[] = {
    kTs, Text("kind"), kSomeCpu, OptionalText("category"), OptionalInteger("count"), kProvider,
};
constexpr Column kBlobsColumns[] = {
    kTs, Text("name"), Text("type"), Integer("bytes"), kSomeCpu, kTid, kProvider,
};
constexpr Column kSettingsColumns[] = {
    kTs,          Word("scope"),         OptionalText("subject"), kPid, OptionalInteger("koid"),
    Text("name"), OptionalText("value"),
};
constexpr Column kRequestsColumns[] = {
    Integer("id"),        Text("name"), kTs, Integer("dur"), kTid, kPid, OptionalText("trace_id"),
    OptionalText("args"),
};
constexpr Column kPathColumns[] = {
    Integer("request"),
    kTs,
    Integer("dur"),
    Word("kind"),
    kTid,
    OptionalText("waited_for"),
    OptionalText("object"),
    OptionalText("stack"),
};
constexpr Column kStacksColumns[] = {
    Integer("id"), Integer("frames"), Integer("kernel_frames"), OptionalText("end"), kPid,
};
constexpr Column kFramesColumns[] = {
    Integer("stack"),  Integer("depth"),          Integer("address"),
    Integer("kernel"), OptionalInteger("symbol"), OptionalText("function"),
    Name("module"),    OptionalInteger("offset"), OptionalInteger("line"),
};
constexpr Column kSymbolsColumns[] = {
    Integer("id"),
    Text("name"),
    Name("module"),
    OptionalText("build_id"),
    Integer("start"),
    OptionalInteger("size"),
    kPid,
};

constexpr std::array<TableInfo, kTables> kInfos = {{
    {Table::kCaptures, "captures", kCapturesColumns},
    {Table::kProcesses, "processes", kProcessesColumns},
    {Table::kThreads, "threads", kThreadsColumns},
    {Table::kCpus, "cpus", kCpusColumns},
    {Table::kSlices, "slices", kSlicesColumns},
    {Table::kIdle, "idle", kIdleColumns},
    {Table::kWaits, "waits", kWaitsColumns},
    {Table::kWakeups, "wakeups", kWakeupsColumns},
    {Table::kInstants, "instants", kInstantsColumns},
    {Table::kSpans, "spans", kSpansColumns},
    {Table::kCounters, "counters", kCountersColumns},
    {Table::kLogs, "logs", kLogsColumns},
    {Table::kLosses, "losses", kLossesColumns},
    {Table::kBlobs, "blobs", kBlobsColumns},
    {Table::kSettings, "settings", kSettingsColumns},
    {Table::kRequests, "requests", kRequestsColumns},
    {Table::kPath, "path", kPathColumns},
    {Table::kStacks, "stacks", kStacksColumns},
    {Table::kFrames, "frames", kFramesColumns},
    {Table::kSymbols, "symbols", kSymbolsColumns},
}};
static_assert(std::all_of(kInfos.begin(), kInfos.end(), [](const TableInfo& info) {
  return info.columns.size() <= kMaxColumns;
}));

using Of = ColumnGroup::Of;
using Member = ColumnGroup::Member;

constexpr Member kSlicesTask[] = {{slices::kTid, kTaskTid},
                                  {slices::kPid, kTaskPid},
                                  {slices::kThread, kTaskThread},
                                  {slices::kProcess, kTaskProcess},
                                  {slices::kKoid, kTaskKoid}};
constexpr Member kSlicesTerms[] = {{slices::kEndState}, {slices::kBegan}, {slices::kEnded}};
constexpr Member kIdleTerms[] = {{idle::kBegan}, {idle::kEnded}};
constexpr Member kWaitsTask[] = {{waits::kTid, kTaskTid},
                                 {waits::kPid, kTaskPid},
                                 {waits::kThread, kTaskThread},
                                 {waits::kProcess, kTaskProcess},
                                 {waits::kKoid, kTaskKoid}};
constexpr Member kWaitsWaker[] = {{waits::kWakerTid, kTaskTid}, {waits::kWaker, kTaskThread}};
constexpr Member kWaitsPreemptor[] = {{waits::kPreemptorTid, kTaskTid},
                                      {waits::kPreemptor, kTaskThread}};
constexpr Member kWaitsTerms[] = {{waits::kKind},  {waits::kState},   {waits::kBegan},
                                  {waits::kEnded}, {waits::kCertain}, {waits::kWaitsFor},
                                  {waits::kVia}};
constexpr Member kWaitsDetails[] = {
    {waits::kReason, 0}, {waits::kThrottledBy, 1}, {waits::kSyscall, 2}, {waits::kObjectKind, 3},
    {waits::kObject, 4}, {waits::kPeer, 5},        {waits::kAsked, 6}};
constexpr Member kWakeupsTask[] = {{wakeups::kTid, kTaskTid},
                                   {wakeups::kPid, kTaskPid},
                                   {wakeups::kThread, kTaskThread},
                                   {wakeups::kProcess, kTaskProcess},
                                   {wakeups::kKoid, kTaskKoid}};
constexpr Member kWakeupsWaker[] = {{wakeups::kWakerTid, kTaskTid}, {wakeups::kWaker, kTaskThread}};

// In the order of the enums Group.
constexpr ColumnGroup kSlicesGroups[] = {{Of::kTask, kSlicesTask}, {Of::kTerms, kSlicesTerms}};
constexpr ColumnGroup kIdleGroups[] = {{Of::kTerms, kIdleTerms}};
constexpr ColumnGroup kWaitsGroups[] = {{Of::kTask, kWaitsTask},
                                        {Of::kTask, kWaitsWaker},
                                        {Of::kTask, kWaitsPreemptor},
                                        {Of::kTerms, kWaitsTerms},
                                        {Of::kDetails, kWaitsDetails}};
constexpr ColumnGroup kWakeupsGroups[] = {{Of::kTask, kWakeupsTask}, {Of::kTask, kWakeupsWaker}};

}  // namespace

std::span<const ColumnGroup> GroupsOf(Table table) {
  switch (table) {
    case Table::kSlices:
      return kSlicesGroups;
    case Table::kIdle:
      return kIdleGroups;
    case Table::kWaits:
      return kWaitsGroups;
    case Table::kWakeups:
      return kWakeupsGroups;
    default:
      return {};
  }
}

std::span<const TableInfo> Tables() { return kInfos; }

const TableInfo& InfoOf(Table table) { return kInfos[static_cast<size_t>(table)]; }

std::optional<Table> TableNamed(std::string_view name) {
  for (const TableInfo& info : kInfos) {
    if (info.name == name) return info.table;
  }
  return std::nullopt;
}

}  // namespace tables
