// SPDX-License-Identifier: BSD-2-Clause
#include "unit/fxt/support/record_text.h"

#include <bit>
#include <cstdio>
#include <variant>

namespace fxt::testing {
namespace {

std::string Number(uint64_t value) { return std::to_string(value); }

std::string Hex(std::span<const std::byte> bytes) {
  std::string text = "<";
  char digits[3];
  for (std::byte b : bytes) {
    std::snprintf(digits, sizeof(digits), "%02x", static_cast<unsigned>(b));
    text += digits;
  }
  return text + ">";
}

std::string Hex(std::span<const uint64_t> words) {
  std::string text = "<";
  char digits[18];
  for (uint64_t word : words) {
    std::snprintf(digits, sizeof(digits), "%016llx,", static_cast<unsigned long long>(word));
    text += digits;
  }
  return text + ">";
}

// Printable characters unchanged, others as \xNN: names may be any bytes.
std::string Quote(std::string_view text) {
  std::string quoted = "'";
  char escape[5];
  for (char c : text) {
    if (c >= ' ' && c <= '~' && c != '\'' && c != '\\') {
      quoted += c;
      continue;
    }
    std::snprintf(escape, sizeof(escape), "\\x%02x", static_cast<unsigned char>(c));
    quoted += escape;
  }
  return quoted + "'";
}

std::string Ref(const StringRef& ref) {
  if (ref.is_empty()) return "''";
  if (ref.is_inline()) return Quote(ref.text);
  return "#" + Number(ref.index()) + Quote(ref.text);
}

std::string Ref(const ThreadRef& ref) {
  const std::string koids = Number(ref.process) + "/" + Number(ref.thread);
  return ref.is_inline() ? koids : "@" + Number(ref.index) + ":" + koids;
}

struct ValueText {
  std::string operator()(NullValue) const { return "null"; }
  std::string operator()(int32_t v) const { return "int32 " + std::to_string(v); }
  std::string operator()(uint32_t v) const { return "uint32 " + std::to_string(v); }
  std::string operator()(int64_t v) const { return "int64 " + std::to_string(v); }
  std::string operator()(uint64_t v) const { return "uint64 " + std::to_string(v); }
  std::string operator()(double v) const {
    const auto bits = std::bit_cast<uint64_t>(v);
    return "double " + Hex(std::span(&bits, 1));
  }
  std::string operator()(const StringRef& v) const { return "string " + Ref(v); }
  std::string operator()(PointerValue v) const { return "pointer " + Number(v.address); }
  std::string operator()(KoidValue v) const { return "koid " + Number(v.koid); }
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(const BlobValue& v) const { return "blob " + Hex(v.bytes); }
  std::string operator()(const UnknownValue& v) const {
    return "unknown " + Number(v.type) + " " + Hex(v.words);
  }
};

std::string Arguments(std::span<const Argument> arguments) {
  std::string text = " {";
  for (const Argument& argument : arguments) {
    if (text.size() > 2) text += ", ";
    text += Ref(argument.name) + ": " + std::visit(ValueText{}, argument.value);
  }
  return text + "}";
}

const char* Name(EventType type) {
  constexpr const char* kNames[] = {"instant",    "counter",     "duration begin", "duration end",
                                    "complete",   "async begin", "async instant",  "async end",
                                    "flow begin", "flow step",   "flow end"};
  return kNames[static_cast<size_t>(type)];
}

struct RecordText {
  std::string operator()(const MagicNumber&) const { return "magic"; }
  std::string operator()(const ProviderInfo& r) const {
    return "provider info " + Number(r.id) + " " + Quote(r.name);
  }
  std::string operator()(const ProviderSection& r) const {
    return "provider section " + Number(r.id);
  }
  std::string operator()(const ProviderEvent& r) const {
    return "provider event " + Number(r.id) + " " + Number(r.event);
  }
  std::string operator()(const TraceInfo& r) const {
    return "trace info " + Number(r.type) + " " + Hex(r.words);
  }
  std::string operator()(const Initialization& r) const {
    return "initialization " + Number(r.ticks_per_second);
  }
  std::string operator()(const StringRecord& r) const {
    return "string #" + Number(r.index) + " " + Quote(r.text);
  }
  std::string operator()(const ThreadRecord& r) const {
    return "thread @" + Number(r.index) + " " + Number(r.process) + "/" + Number(r.thread);
  }
  std::string operator()(const Event& r) const {
    std::string text = std::string(Name(r.type)) + " t=" + Number(r.timestamp) + " " +
                       Ref(r.thread) + " " + Ref(r.category) + " " + Ref(r.name) +
                       Arguments(r.arguments);
    if (HasPayload(r.type)) text += " payload " + Number(r.payload);
    return text;
  }
  std::string operator()(const Blob& r) const {
    return "blob " + Ref(r.name) + " type " + Number(r.type) + " " + Hex(r.payload);
  }
  std::string operator()(const UserspaceObject& r) const {
    // The record has only the process; an index implies the thread.
    return "userspace object " + Number(r.pointer) + " " + Ref(r.process) + " " + Ref(r.name) +
           Arguments(r.arguments);
  }
  std::string operator()(const KernelObject& r) const {
    return "kernel object type " + Number(r.type) + " koid " + Number(r.koid) + " " + Ref(r.name) +
           Arguments(r.arguments);
  }
  std::string operator()(const LegacyContextSwitch& r) const {
    return "legacy switch t=" + Number(r.timestamp) + " cpu " + Number(r.cpu) + " " +
           Ref(r.outgoing) + " state " + Number(static_cast<uint64_t>(r.outgoing_state)) +
           " prio " + Number(r.outgoing_priority) + " -> " + Ref(r.incoming) + " prio " +
           Number(r.incoming_priority);
  }
  std::string operator()(const ContextSwitch& r) const {
    return "switch t=" + Number(r.timestamp) + " cpu " + Number(r.cpu) + " " +
           Number(r.outgoing_thread) + " state " + Number(static_cast<uint64_t>(r.outgoing_state)) +
           " -> " + Number(r.incoming_thread) + Arguments(r.arguments);
  }
  std::string operator()(const ThreadWakeup& r) const {
    return "wakeup t=" + Number(r.timestamp) + " cpu " + Number(r.cpu) + " " + Number(r.thread) +
           Arguments(r.arguments);
  }
  std::string operator()(const Log& r) const {
    return "log t=" + Number(r.timestamp) + " " + Ref(r.thread) + " " + Quote(r.message);
  }
  std::string operator()(const LargeBlobWithMetadata& r) const {
    return "large blob t=" + Number(r.timestamp) + " " + Ref(r.thread) + " " + Ref(r.category) +
           " " + Ref(r.name) + Arguments(r.arguments) + " " + Hex(r.payload);
  }
  std::string operator()(const LargeBlob& r) const {
    return "large blob " + Ref(r.category) + " " + Ref(r.name) + " " + Hex(r.payload);
  }
  std::string operator()(const ProfilerModule& r) const {
    return "module t=" + Number(r.timestamp) + " " + Ref(r.thread) + " id " + Number(r.module_id) +
           " " + Quote(r.name) + " " + Hex(r.build_id);
  }
  std::string operator()(const ProfilerMmap& r) const {
    return "mmap t=" + Number(r.timestamp) + " " + Ref(r.thread) + " id " + Number(r.module_id) +
           " flags " + Number(r.flags) + " start " + Number(r.start) + " size " + Number(r.size) +
           " offset " + Number(r.module_offset);
  }
  std::string operator()(const ProfilerBacktrace& r) const {
    return "backtrace t=" + Number(r.timestamp) + " " + Ref(r.thread) + " " + Hex(r.frames);
  }
  std::string operator()(const UnknownRecord& r) const {
    return "unknown " + Number(r.type) + " " + Hex(r.words);
  }
};

}  // namespace

std::string ToText(const Record& record) { return std::visit(RecordText{}, record); }

}  // namespace fxt::testing
