// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/rewrite/trace_copier.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>

#include "facts/recorder_facts.h"
#include "facts/scheduling.h"
#include "schema/koid.h"
#include "schema/names.h"

namespace analyze {
namespace {

// A sink for one record.
class WordsSink final : public fxt::ByteSink {
 public:
  bool Write(std::span<const std::byte> records) override {
    const size_t before = words.size();
    words.resize(before + records.size() / fxt::kWordBytes);
    std::copy(records.begin(), records.end(),
              std::as_writable_bytes(std::span(words)).begin() + static_cast<long>(before * 8));
    return true;
  }
  std::vector<uint64_t> words;
};

fxt::StringRef Inline(const fxt::StringRef& string) {
  return string.is_empty() ? string
                           : fxt::StringRef::Inline(string.text.substr(0, fxt::kMaxStringRefBytes));
}

std::vector<uint64_t> EncodeInline(const fxt::KernelObject& object) {
  std::array<fxt::Argument, fxt::kMaxArguments> arguments;
  size_t count = 0;
  for (const fxt::Argument& argument : object.arguments) {
    arguments[count] = {Inline(argument.name), argument.value};
    if (auto* text = std::get_if<fxt::StringRef>(&arguments[count].value)) *text = Inline(*text);
    // An argument of an unknown type may refer to the tables as well.
    if (!std::holds_alternative<fxt::UnknownValue>(argument.value)) ++count;
  }
  fxt::KernelObject copy = object;
  copy.name = Inline(object.name);
  WordsSink sink;
  // A record that is too long with inline strings drops the long ones.
  for (size_t use = count;; use = 1) {
    copy.arguments = {arguments.data(), use};
    fxt::RecordBuffer buffer(sink);
    if (fxt::Encoder(buffer).Write(copy) == fxt::EncodeStatus::kOk || use <= 1) break;
  }
  return std::move(sink.words);
}

constexpr fxt::Koid kLostKoids = schema::kMaxKoid - 0xffff;

constexpr size_t kMaxProviders = 65'536;
constexpr size_t kMaxObjectBytes = size_t{512} << 20;
constexpr size_t kObjectBytes =
    128;  // of an object beside its words, including the node of the map

}  // namespace

TraceCopier::TraceCopier(fxt::ByteSink& sink) : buffer_(sink), encoder_(buffer_) {
  object_budget_.limit = kMaxObjectBytes;
  Write(fxt::MagicNumber{});
}

void TraceCopier::Write(const fxt::Record& record) {
  // A record that was read can be written; a failing sink shows in failed().
  static_cast<void>(encoder_.Write(record));
}

void TraceCopier::Note(const fxt::Reader& reader) {
  const auto* object = std::get_if<fxt::KernelObject>(&reader.record());
  if (object == nullptr) return;
  const std::pair key(object->koid, object->type);
  const auto found = objects_.find(key);
  std::vector<uint64_t> words = EncodeInline(*object);
  const size_t had = found == objects_.end() ? 0 : found->second.words.capacity();
  const size_t more = words.capacity() > had ? words.capacity() - had : 0;
  // An object beyond the budget is left out of the copy.
  if (!object_budget_.Take(more * sizeof(uint64_t) + (had == 0 ? kObjectBytes : 0))) return;
  Object& known = objects_[key];
  known.words = std::move(words);
  known.process = facts::KoidOf(facts::FindArgument(object->arguments, schema::argument::kProcess));
  known.changed = known.written;
}

TraceCopier::Provider& TraceCopier::Enter(const fxt::ReaderProvider& provider) {
  // Definitions of removed providers are written again when these return.
  if (providers_.size() >= kMaxProviders && !providers_.contains(provider.id())) {
    providers_.clear();
  }
  const auto [entry, fresh] = providers_.try_emplace(provider.id());
  Provider& out = entry->second;
  // Records before any provider info need no provider.
  const bool anonymous = !provider.announced() && provider.id() == 0 && providers_.size() == 1;
  if (fresh) out.ordinal = static_cast<uint32_t>(providers_.size() - 1);
  // Provider 0 needs an announcement once others have come.
  const bool back = current_ && *current_ != provider.id();
  if (!anonymous && (fresh || out.name != provider.name() || (back && !out.announced))) {
    out.name = provider.name();
    out.announced = true;
    Write(fxt::ProviderInfo{provider.id(), out.name});
    Write(fxt::ProviderSection{provider.id()});
  } else if (back) {
    Write(fxt::ProviderSection{provider.id()});
  }
  current_ = provider.id();
  // A recorder's file has one tick rate, even if the initialization record is missing.
  if ((provider.initialized() || out.name == schema::kRecorderName) &&
      out.ticks_per_second != provider.ticks_per_second()) {
    out.ticks_per_second = provider.ticks_per_second();
    Write(fxt::Initialization{out.ticks_per_second});
  }
  return out;
}

void TraceCopier::NeedString(Provider& out, const fxt::StringRef& string) {
  if (string.index() == 0) return;
  const auto [entry, fresh] = out.strings.try_emplace(string.index(), string.text);
  if (!fresh && entry->second == string.text) return;
  entry->second = string.text;
  Write(fxt::StringRecord{string.index(), string.text});
}

void TraceCopier::NeedThread(Provider& out, const fxt::ThreadRef& thread) {
  NeedObjects(thread.process);
  NeedObjects(thread.thread);
  if (thread.is_inline()) return;
  const std::pair koids(thread.process, thread.thread);
  const auto [entry, fresh] = out.threads.try_emplace(thread.index, koids);
  if (!fresh && entry->second == koids) return;
  entry->second = koids;
  Write(fxt::ThreadRecord{thread.index, koids.first, koids.second});
}

void TraceCopier::NeedObjects(fxt::Koid koid) {
  for (auto found = objects_.lower_bound({koid, 0});
       found != objects_.end() && found->first.first == koid; ++found) {
    NeedObject(found->second);
  }
}

void TraceCopier::NeedObject(Object& object) {
  if (object.written && !object.changed) return;
  object.written = true;
  object.changed = false;
  if (object.process) NeedObjects(*object.process);
  if (!object.words.empty()) {
    Write(fxt::UnknownRecord{static_cast<uint8_t>(object.words[0] & 0xf), object.words});
  }
}

void TraceCopier::Define(Provider& out, const fxt::Record& record) {
  std::visit(
      [&](const auto& r) {
        if constexpr (requires { r.thread.thread; }) NeedThread(out, r.thread);
        if constexpr (requires { r.process.index; }) NeedThread(out, r.process);
        if constexpr (requires { r.outgoing.thread; }) {
          NeedThread(out, r.outgoing);
          NeedThread(out, r.incoming);
        }
        if constexpr (requires { r.outgoing_thread; }) {
          NeedObjects(r.outgoing_thread);
          NeedObjects(r.incoming_thread);
        }
        if constexpr (std::is_same_v<decltype(r), const fxt::ThreadWakeup&>) NeedObjects(r.thread);
        if constexpr (requires { r.category.encoded; }) NeedString(out, r.category);
        if constexpr (requires { r.name.encoded; }) NeedString(out, r.name);
        if constexpr (requires { r.arguments.size(); }) {
          for (const fxt::Argument& argument : r.arguments) {
            NeedString(out, argument.name);
            if (const auto* text = std::get_if<fxt::StringRef>(&argument.value)) {
              NeedString(out, *text);
            } else if (const auto* koid = std::get_if<fxt::KoidValue>(&argument.value)) {
              NeedObjects(koid->koid);
            }
          }
        }
      },
      record);
}

void TraceCopier::NameLostThread(fxt::Koid process, fxt::Koid thread) {
  const auto name = [&](fxt::Koid koid, fxt::KernelObjectType type, const std::string& text,
                        std::span<const fxt::Argument> arguments) -> Object& {
    Object& object = objects_[{koid, static_cast<uint8_t>(type)}];
    if (object.words.empty()) {
      object.words =
          EncodeInline({static_cast<uint8_t>(type), koid, fxt::StringRef::Inline(text), arguments});
    }
    return object;
  };
  name(process, fxt::KernelObjectType::kProcess, "(lost)", {});
  const fxt::Argument argument{fxt::StringRef::Inline(schema::argument::kProcess),
                               fxt::KoidValue{process}};
  name(thread, fxt::KernelObjectType::kThread, fmt::format("(lost thread {})", thread - process),
       {&argument, 1})
      .process = process;
}

void TraceCopier::MendString(const Provider& out, const fxt::ReaderProvider& in,
                             fxt::StringRef& string) {
  const uint16_t index = string.index();
  if (index == 0) return;
  if (in.FindString(index) == nullptr) {
    ++lost_here_;
    changed_ = true;
    string = fxt::StringRef::Inline(texts_.emplace_back(fmt::format("(lost string {})", index)));
    return;
  }
  const auto defined = out.strings.find(index);
  if (defined == out.strings.end() || defined->second == string.text) return;
  if (out.name != schema::kRecorderName) return;  // defined again
  changed_ = true;
  string = Inline(string);
}

void TraceCopier::MendThread(const Provider& out, const fxt::ReaderProvider& in,
                             fxt::ThreadRef& thread) {
  if (thread.is_inline()) return;
  if (!in.has_thread(thread.index)) {
    ++lost_here_;
    changed_ = true;
    const fxt::Koid process = kLostKoids + (out.ordinal & 0xff) * 0x100;
    thread = fxt::ThreadRef::Inline(process, process + thread.index);
    NameLostThread(thread.process, thread.thread);
    return;
  }
  const auto defined = out.threads.find(thread.index);
  const std::pair koids(thread.process, thread.thread);
  if (defined == out.threads.end() || defined->second == koids) return;
  if (out.name != schema::kRecorderName) return;  // defined again
  changed_ = true;
  thread = fxt::ThreadRef::Inline(thread.process, thread.thread);
}

const fxt::Record& TraceCopier::Mend(const fxt::Reader& reader) {
  const fxt::ReaderProvider& in = reader.provider();
  const Provider& out = Enter(in);
  record_ = reader.record();
  changed_ = false;
  lost_here_ = 0;
  texts_.clear();
  std::visit(
      [&](auto& r) {
        if constexpr (requires { r.thread.thread; }) MendThread(out, in, r.thread);
        if constexpr (requires { r.process.index; }) MendThread(out, in, r.process);
        if constexpr (requires { r.outgoing.thread; }) {
          MendThread(out, in, r.outgoing);
          MendThread(out, in, r.incoming);
        }
        if constexpr (requires { r.category.encoded; }) MendString(out, in, r.category);
        if constexpr (requires { r.name.encoded; }) MendString(out, in, r.name);
        if constexpr (requires { r.arguments.size(); }) {
          std::copy(r.arguments.begin(), r.arguments.end(), arguments_.begin());
          for (size_t i = 0; i < r.arguments.size(); ++i) {
            MendString(out, in, arguments_[i].name);
            if (auto* text = std::get_if<fxt::StringRef>(&arguments_[i].value)) {
              MendString(out, in, *text);
            }
          }
          r.arguments = {arguments_.data(), r.arguments.size()};
        }
      },
      record_);
  return record_;
}

void TraceCopier::Copy(const fxt::Reader& reader) {
  Mend(reader);
  Define(Enter(reader.provider()), record_);
  ++records_;
  lost_references_ += lost_here_;
  if (changed_) {
    Write(record_);
  } else {
    Write(fxt::UnknownRecord{static_cast<uint8_t>(reader.words()[0] & 0xf), reader.words()});
  }
}

TraceCopier::Prepared TraceCopier::Prepare(const fxt::Reader& reader) {
  Mend(reader);
  Define(Enter(reader.provider()), record_);
  lost_references_ += lost_here_;
  Prepared prepared{reader.provider().id(), {}};
  if (changed_) {
    WordsSink sink;
    {
      fxt::RecordBuffer buffer(sink);
      // A record that is too long with inline references is lost.
      static_cast<void>(fxt::Encoder(buffer).Write(record_));
    }
    prepared.words = std::move(sink.words);
  } else {
    prepared.words.assign(reader.words().begin(), reader.words().end());
  }
  return prepared;
}

void TraceCopier::Put(const Prepared& prepared) {
  if (prepared.words.empty()) return;
  if (current_ != prepared.provider) {
    Write(fxt::ProviderSection{prepared.provider});
    current_ = prepared.provider;
  }
  ++records_;
  Write(fxt::UnknownRecord{static_cast<uint8_t>(prepared.words[0] & 0xf), prepared.words});
}

void TraceCopier::Write(const fxt::Reader& reader, const fxt::Record& record) {
  Define(Enter(reader.provider()), record);
  ++records_;
  Write(record);
}

void TraceCopier::Name(const fxt::KernelObject& object) {
  Object& known = objects_[{object.koid, object.type}];
  known.words = EncodeInline(object);
  known.process = facts::KoidOf(facts::FindArgument(object.arguments, schema::argument::kProcess));
  known.written = false;
  NeedObject(known);
}

bool TraceCopier::Finish() {
  // Readers use the last name of a thread or process for the whole file.
  for (auto& [key, object] : objects_) {
    if (object.changed) NeedObject(object);
  }
  return buffer_.Flush();
}

}  // namespace analyze
