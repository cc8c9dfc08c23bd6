// SPDX-License-Identifier: BSD-2-Clause
#include "export/perfetto/stack_packets.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "analyze/flame/named_stacks.h"
#include "facts/scheduling.h"
#include "schema/names.h"
#include "schema/stack_id.h"

namespace exporting::perfetto {
namespace {

// Stacks of tracepoints begin with the functions that call the BPF program.
constexpr std::string_view kTracing = "__traceiter_";

std::optional<Sequence> SequenceOf(std::string_view name) {
  if (name == schema::event::kStackOff) return Sequence::kStackOff;
  if (name == schema::event::kStackWake) return Sequence::kStackWake;
  if (name == schema::event::kStackOn) return Sequence::kStackOn;
  return std::nullopt;
}

std::string_view SourceOf(Sequence sequence) {
  switch (sequence) {
    case Sequence::kStackOff:
      return "off-CPU";
    case Sequence::kStackWake:
      return "wakeups";
    default:
      return "on-CPU";
  }
}

void Defaults(ProtoWriter& out, Sequence sequence) {
  const ProtoWriter::Nested defaults(out, packet::kDefaults);
  const ProtoWriter::Nested samples(out, packet_defaults::kStackSample);
  out.String(stack_sample::defaults::kSource, SourceOf(sequence));
  const ProtoWriter::Nested primary(out, stack_sample::defaults::kPrimary);
  const bool counts = sequence == Sequence::kStackOn;
  out.String(stack_sample::counter::kName, counts ? "samples" : "time away");
  out.Varint(stack_sample::counter::kUnit,
             counts ? stack_sample::counter::kCount : stack_sample::counter::kNanoseconds);
}

uint64_t WeightOf(const fxt::Event& event, Sequence sequence) {
  if (sequence == Sequence::kStackOn) return 1;
  const auto away =
      facts::IntegerValue(facts::FindArgument(event.arguments, schema::argument::kAway));
  return away && *away > 0 ? static_cast<uint64_t>(*away) : 0;
}

analyze::LbrSymbolOptions NamesOfTheTrace() {
  analyze::LbrSymbolOptions options;
  options.enabled = false;
  return options;
}

}  // namespace

StackPackets::StackPackets(PacketStream& stream, TaskNumbers& numbers, SampleFormat format)
    : stream_(stream), numbers_(numbers), format_(format), stacks_(NamesOfTheTrace()) {}

bool StackPackets::Add(const fxt::Reader& reader) {
  const fxt::Record& record = reader.record();
  stacks_.Note(record);
  const auto* event = std::get_if<fxt::Event>(&record);
  if (event == nullptr) return false;
  if (analyze::IsSymbol(*event)) return true;
  const auto stack = analyze::StackOf(*event);
  if (!stack || !SequenceOf(event->name.text)) return false;
  AddSample(reader, *event, *stack);
  return true;
}

void StackPackets::AddSample(const fxt::Reader& reader, const fxt::Event& event, uint64_t stack) {
  const Sequence sequence = *SequenceOf(event.name.text);
  Interned& known = interned_[sequence];
  if (known.stacks.size() >= kMaxStacks) {
    known = {};
    stream_.ClearState(sequence);
  }
  ProtoWriter entries;
  const auto number = StackNumber(known, event.thread.process, stack, entries);
  if (!number) {
    ++undefined_;
    return;
  }
  const uint64_t time = reader.ToNanoseconds(event.timestamp);
  const bool first = stream_.IsCleared(sequence);
  // Interrupts have no process; their stacks are those of the idle task or of what they
  // interrupted.
  const bool is_task = !IsPseudo(event.thread.thread) && !IsPseudo(event.thread.process);
  const int32_t pid = is_task ? numbers_.Of(event.thread.process) : 0;
  const int32_t tid = is_task ? numbers_.Of(event.thread.thread) : 0;
  stream_.Write(sequence, time, [&](ProtoWriter& out) {
    if (entries.size() > 0) out.Bytes(packet::kInternedData, entries.bytes());
    if (format_ == SampleFormat::kPerfSample) {
      const ProtoWriter::Nested sample(out, packet::kPerfSample);
      out.Varint(perf_sample::kPid, pid);
      out.Varint(perf_sample::kTid, tid);
      out.Varint(perf_sample::kCallstackIid, *number);
      out.Varint(perf_sample::kTimebaseCount, WeightOf(event, sequence));
      return;
    }
    if (first) Defaults(out, sequence);
    const ProtoWriter::Nested sample(out, packet::kStackSample);
    {
      const ProtoWriter::Nested task(out, stack_sample::kTask);
      out.Varint(stack_sample::task::kPid, pid);
      out.Varint(stack_sample::task::kTid, tid);
    }
    out.Varint(stack_sample::kCallstackIid, *number);
    out.Varint(stack_sample::kWeight, WeightOf(event, sequence));
  });
}

std::optional<uint64_t> StackPackets::StackNumber(Interned& known, fxt::Koid process,
                                                  uint64_t stack, ProtoWriter& entries) {
  const StackKey key{process, stacks_.MappingsOf(process), stack};
  if (const auto found = known.stacks.find(key); found != known.stacks.end()) return found->second;
  const uint32_t pid = schema::TidOfKoid(process);
  std::vector<uint64_t> frames;  // innermost first
  stacks_.ForEachAddress(stack, [&](uint64_t address, bool is_return) {
    if (schema::IsKernelAddress(address) &&
        stacks_.names().NameOf(pid, address, is_return).starts_with(kTracing)) {
      frames.clear();
    } else {
      frames.push_back(FrameNumber(known, pid, address, is_return, entries));
    }
  });
  if (frames.empty()) return std::nullopt;
  const uint64_t number = known.stacks.size() + 1;
  known.stacks.emplace(key, number);
  const ProtoWriter::Nested callstack(entries, interned::kCallstacks);
  entries.Varint(interned::kIid, number);
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    entries.Varint(interned::callstack::kFrames, *frame);
  }
  return number;
}

uint64_t StackPackets::FrameNumber(Interned& known, uint32_t pid, uint64_t address, bool is_return,
                                   ProtoWriter& entries) {
  const uint64_t within = is_return && address != 0 ? address - 1 : address;
  const analyze::PlaceId id = stacks_.names().places().Resolve(pid, within);
  const auto [found, is_new] = known.frames.try_emplace({id, is_return}, known.frames.size() + 1);
  if (!is_new) return found->second;
  const analyze::Place place = stacks_.names().places().place(id);
  const bool kernel = schema::IsKernelAddress(address);
  const uint64_t function =
      known.functions.Number(stacks_.names().NameOf(pid, address, is_return), entries);
  const uint64_t mapping = MappingNumber(known, place.module, entries);
  const ProtoWriter::Nested frame(entries, interned::kFrames);
  entries.Varint(interned::kIid, found->second);
  entries.Varint(interned::frame::kFunctionName, function);
  entries.Varint(interned::frame::kMapping, mapping);
  entries.Varint(interned::frame::kRelPc, place.offset);
  entries.Varint(interned::frame::kKind,
                 kernel ? interned::frame::kKernel : interned::frame::kNative);
  return found->second;
}

uint64_t StackPackets::MappingNumber(Interned& known, uint32_t module, ProtoWriter& entries) {
  const auto [found, is_new] = known.mappings.try_emplace(module, known.mappings.size() + 1);
  if (!is_new) return found->second;
  const bool mapped = module != UINT32_MAX;
  const uint64_t path = known.paths.Number(
      mapped ? std::string_view(stacks_.names().places().module_name(module)) : "[unknown]",
      entries);
  uint64_t build_id = 0;
  if (mapped) {
    const auto bytes = stacks_.names().places().module_build_id(module).view();
    if (!bytes.empty()) {
      build_id = known.build_ids.Number(
          std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), entries);
    }
  }
  const ProtoWriter::Nested mapping(entries, interned::kMappings);
  entries.Varint(interned::kIid, found->second);
  if (build_id != 0) entries.Varint(interned::mapping::kBuildId, build_id);
  entries.Varint(interned::mapping::kPathIds, path);
  return found->second;
}

}  // namespace exporting::perfetto
