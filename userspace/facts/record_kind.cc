// SPDX-License-Identifier: BSD-2-Clause
#include "facts/record_kind.h"

#include <array>

namespace facts {
namespace {

struct Names {
  std::string_view name;
  std::string_view explanation;
};

constexpr std::array<Names, kRecordKinds> kNames = {{
    {"magic", "magic number record"},
    {"provider", "provider info: a provider and its name"},
    {"section", "provider section: records of another provider follow"},
    {"provider-event", "provider event: a buffer filled up"},
    {"trace-info", "trace info other than the magic number"},
    {"init", "initialization: ticks per second"},
    {"string", "string table entry"},
    {"thread", "thread table entry"},
    {"instant", "instant event"},
    {"counter", "counter event"},
    {"begin", "duration begin event"},
    {"end", "duration end event"},
    {"complete", "duration complete event"},
    {"async-begin", "async begin event"},
    {"async-instant", "async instant event"},
    {"async-end", "async end event"},
    {"flow-begin", "flow begin event"},
    {"flow-step", "flow step event"},
    {"flow-end", "flow end event"},
    {"blob", "blob"},
    {"userspace-object", "userspace object"},
    {"kernel-object", "kernel object: names a process or thread"},
    {"switch", "context switch, either layout"},
    {"wakeup", "thread wakeup"},
    {"log", "log message"},
    {"large-blob", "large blob, with or without metadata"},
    {"module", "profiler module"},
    {"mmap", "profiler mapping"},
    {"backtrace", "profiler backtrace"},
    {"unknown", "record of a type this program does not know"},
}};

struct KindVisitor {
  RecordKind operator()(const fxt::MagicNumber&) const { return RecordKind::kMagic; }
  RecordKind operator()(const fxt::ProviderInfo&) const { return RecordKind::kProviderInfo; }
  RecordKind operator()(const fxt::ProviderSection&) const { return RecordKind::kProviderSection; }
  RecordKind operator()(const fxt::ProviderEvent&) const { return RecordKind::kProviderEvent; }
  RecordKind operator()(const fxt::TraceInfo&) const { return RecordKind::kTraceInfo; }
  RecordKind operator()(const fxt::Initialization&) const { return RecordKind::kInitialization; }
  RecordKind operator()(const fxt::StringRecord&) const { return RecordKind::kString; }
  RecordKind operator()(const fxt::ThreadRecord&) const { return RecordKind::kThread; }
  RecordKind operator()(const fxt::Event& event) const {
    return static_cast<RecordKind>(static_cast<uint8_t>(RecordKind::kInstant) +
                                   static_cast<uint8_t>(event.type));
  }
  RecordKind operator()(const fxt::Blob&) const { return RecordKind::kBlob; }
  RecordKind operator()(const fxt::UserspaceObject&) const { return RecordKind::kUserspaceObject; }
  RecordKind operator()(const fxt::KernelObject&) const { return RecordKind::kKernelObject; }
  RecordKind operator()(const fxt::LegacyContextSwitch&) const { return RecordKind::kSwitch; }
  RecordKind operator()(const fxt::ContextSwitch&) const { return RecordKind::kSwitch; }
  RecordKind operator()(const fxt::ThreadWakeup&) const { return RecordKind::kWakeup; }
  RecordKind operator()(const fxt::Log&) const { return RecordKind::kLog; }
  RecordKind operator()(const fxt::LargeBlobWithMetadata&) const { return RecordKind::kLargeBlob; }
  RecordKind operator()(const fxt::LargeBlob&) const { return RecordKind::kLargeBlob; }
  RecordKind operator()(const fxt::ProfilerModule&) const { return RecordKind::kModule; }
  RecordKind operator()(const fxt::ProfilerMmap&) const { return RecordKind::kMmap; }
  RecordKind operator()(const fxt::ProfilerBacktrace&) const { return RecordKind::kBacktrace; }
  RecordKind operator()(const fxt::UnknownRecord&) const { return RecordKind::kUnknown; }
};

}  // namespace

RecordKind KindOf(const fxt::Record& record) { return std::visit(KindVisitor{}, record); }

std::string_view NameOf(RecordKind kind) { return kNames[static_cast<size_t>(kind)].name; }

std::string_view Explain(RecordKind kind) { return kNames[static_cast<size_t>(kind)].explanation; }

std::optional<RecordKind> KindNamed(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i].name == name) return static_cast<RecordKind>(i);
  }
  return std::nullopt;
}

std::string_view NameOf(fxt::ThreadState state) {
  constexpr std::array<std::string_view, 6> kStates = {"new",     "running", "suspended",
                                                       "blocked", "dying",   "dead"};
  const auto index = static_cast<size_t>(state);
  return index < kStates.size() ? kStates[index] : "?";
}

}  // namespace facts
