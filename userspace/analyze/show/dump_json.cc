// SPDX-License-Identifier: BSD-2-Clause
// One JSON object per record. Arguments are a list, because names may come twice.
#include <fmt/format.h>

#include <iterator>

#include "analyze/show/dump.h"
#include "branches/last_branch.h"
#include "facts/record_kind.h"
#include "facts/scheduling.h"
#include "schema/names.h"

namespace analyze {
namespace {

class Object {
 public:
  Object(text::JsonWriter& json, const facts::TaskNames& names,
         const facts::LinuxStateTracker& states, const fxt::ReaderProvider& provider)
      : json_(json), names_(names), states_(states), provider_(provider) {}

  void operator()(const fxt::MagicNumber&) {}
  void operator()(const fxt::ProviderInfo& r) {
    json_.Key("id").Unsigned(r.id).Key("name").String(r.name);
  }
  void operator()(const fxt::ProviderSection& r) { json_.Key("id").Unsigned(r.id); }
  void operator()(const fxt::ProviderEvent& r) {
    json_.Key("id").Unsigned(r.id).Key("event").Unsigned(r.event);
  }
  void operator()(const fxt::TraceInfo& r) { Words(r.type, r.words); }
  void operator()(const fxt::UnknownRecord& r) { Words(r.type, r.words); }
  void operator()(const fxt::Initialization& r) {
    json_.Key("ticks_per_second").Unsigned(r.ticks_per_second);
  }
  void operator()(const fxt::StringRecord& r) {
    json_.Key("index").Unsigned(r.index).Key("text").String(r.text);
  }
  void operator()(const fxt::ThreadRecord& r) {
    json_.Key("index").Unsigned(r.index);
    Thread("thread", r.thread, r.process);
  }
  void operator()(const fxt::Event& r) {
    json_.Key("category").String(r.category.text).Key("name").String(r.name.text);
    Thread("thread", r.thread.thread, r.thread.process);
    if (r.type == fxt::EventType::kDurationComplete) {
      json_.Key("end_ns").Unsigned(provider_.ToNanoseconds(r.payload));
    } else if (HasPayload(r.type)) {
      json_.Key("id").Hex(r.payload);
    }
    Arguments(r.arguments);
  }
  void operator()(const fxt::Blob& r) {
    json_.Key("name").String(r.name.text).Key("type").Unsigned(r.type);
    json_.Key("payload_bytes").Unsigned(r.payload.size());
    const auto view = branches::LastBranchView::Of(r);
    if (!view) return;
    json_.Key("cpu").Unsigned(view->cpu()).Key("time").Unsigned(view->time());
    json_.Key("address_space").Unsigned(view->address_space()).Key("branches").BeginArray();
    for (size_t i = 0; i < view->branches(); ++i) {
      const branches::LastBranch branch = view->branch(i);
      json_.BeginObject().Key("from").Hex(branch.from).Key("to").Hex(branch.to);
      json_.Key("info").Hex(branch.info).EndObject();
    }
    json_.EndArray();
  }
  void operator()(const fxt::UserspaceObject& r) {
    json_.Key("pointer").Hex(r.pointer).Key("process").Unsigned(r.process.process);
    json_.Key("name").String(r.name.text);
    Arguments(r.arguments);
  }
  void operator()(const fxt::KernelObject& r) {
    json_.Key("type").Unsigned(r.type).Key("koid").Unsigned(r.koid);
    json_.Key("name").String(r.name.text);
    Arguments(r.arguments);
  }
  void operator()(const fxt::LegacyContextSwitch& r) {
    json_.Key("cpu").Unsigned(r.cpu);
    json_.Key("out").BeginObject();
    Ids(r.outgoing.thread, r.outgoing.process);
    State(r.outgoing.thread, r.outgoing_state);
    json_.Key("prio").Unsigned(r.outgoing_priority).EndObject();
    json_.Key("in").BeginObject();
    Ids(r.incoming.thread, r.incoming.process);
    json_.Key("prio").Unsigned(r.incoming_priority).EndObject();
  }
  void operator()(const fxt::ContextSwitch& r) {
    json_.Key("cpu").Unsigned(r.cpu);
    json_.Key("out").BeginObject();
    Ids(r.outgoing_thread, std::nullopt);
    State(r.outgoing_thread, r.outgoing_state);
    json_.EndObject();
    Thread("in", r.incoming_thread, std::nullopt);
    Arguments(r.arguments);
  }
  void operator()(const fxt::ThreadWakeup& r) {
    json_.Key("cpu").Unsigned(r.cpu);
    Thread("thread", r.thread, std::nullopt);
    if (const auto waker =
            facts::KoidOf(facts::FindArgument(r.arguments, schema::argument::kWaker))) {
      Thread("waker", *waker, std::nullopt);
    }
    Arguments(r.arguments);
  }
  void operator()(const fxt::Log& r) {
    Thread("thread", r.thread.thread, r.thread.process);
    json_.Key("message").String(r.message);
  }
  void operator()(const fxt::LargeBlobWithMetadata& r) {
    json_.Key("category").String(r.category.text).Key("name").String(r.name.text);
    Thread("thread", r.thread.thread, r.thread.process);
    json_.Key("payload_bytes").Unsigned(r.payload.size());
    Arguments(r.arguments);
  }
  void operator()(const fxt::LargeBlob& r) {
    json_.Key("category").String(r.category.text).Key("name").String(r.name.text);
    json_.Key("payload_bytes").Unsigned(r.payload.size());
  }
  void operator()(const fxt::ProfilerModule& r) {
    Thread("thread", r.thread.thread, r.thread.process);
    json_.Key("module").Unsigned(r.module_id).Key("name").String(r.name);
    const std::span<const uint8_t> id(reinterpret_cast<const uint8_t*>(r.build_id.data()),
                                      r.build_id.size());
    json_.Key("build_id").String(fmt::format("{:02x}", fmt::join(id, "")));
  }
  void operator()(const fxt::ProfilerMmap& r) {
    Thread("thread", r.thread.thread, r.thread.process);
    json_.Key("module").Unsigned(r.module_id).Key("flags").Unsigned(r.flags);
    json_.Key("start").Hex(r.start).Key("size").Hex(r.size).Key("offset").Hex(r.module_offset);
  }
  void operator()(const fxt::ProfilerBacktrace& r) {
    Thread("thread", r.thread.thread, r.thread.process);
    json_.Key("frames").BeginArray();
    for (const uint64_t frame : r.frames) json_.Hex(frame);
    json_.EndArray();
  }

 private:
  void Words(uint8_t type, std::span<const uint64_t> words) {
    json_.Key("type").Unsigned(type).Key("word_count").Unsigned(words.size());
  }
  void Ids(fxt::Koid thread, std::optional<fxt::Koid> process) {
    json_.Key("thread").Unsigned(thread);
    const std::string& name = names_.thread_name(thread);
    if (!name.empty()) json_.Key("thread_name").String(name);
    const facts::TaskNames::Thread* known = names_.thread(thread);
    if (!process && known != nullptr) process = known->process;
    if (!process) return;
    json_.Key("process").Unsigned(*process);
    const std::string& process_name = names_.process_name(*process);
    if (!process_name.empty()) json_.Key("process_name").String(process_name);
  }
  void Thread(std::string_view key, fxt::Koid thread, std::optional<fxt::Koid> process) {
    json_.Key(key).BeginObject();
    Ids(thread, process);
    json_.EndObject();
  }
  void State(fxt::Koid thread, fxt::ThreadState state) {
    json_.Key("state").String(facts::NameOf(state));
    json_.Key("linux_state").String(states_.Letters(thread, state));
  }
  void Arguments(std::span<const fxt::Argument> arguments) {
    json_.Key("args").BeginArray();
    for (const fxt::Argument& argument : arguments) {
      json_.BeginObject().Key("name").String(argument.name.text);
      std::visit([this](const auto& v) { Value(v); }, argument.value);
      json_.EndObject();
    }
    json_.EndArray();
  }
  text::JsonWriter& Typed(std::string_view type) {
    return json_.Key("type").String(type).Key("value");
  }
  void Value(fxt::NullValue) { Typed("null").Null(); }
  void Value(int32_t v) { Typed("int32").Signed(v); }
  void Value(uint32_t v) { Typed("uint32").Unsigned(v); }
  void Value(int64_t v) { Typed("int64").Signed(v); }
  void Value(uint64_t v) { Typed("uint64").Unsigned(v); }
  void Value(double v) { Typed("double").Double(v); }
  void Value(const fxt::StringRef& v) { Typed("string").String(v.text); }
  void Value(fxt::PointerValue v) { Typed("pointer").Hex(v.address); }
  void Value(fxt::KoidValue v) { Typed("koid").Unsigned(v.koid); }
  void Value(bool v) { Typed("bool").Bool(v); }
  void Value(const fxt::BlobValue& v) {
    json_.Key("type").String("blob").Key("bytes").Unsigned(v.bytes.size());
  }
  void Value(const fxt::UnknownValue& v) { json_.Key("type").Unsigned(v.type); }

  text::JsonWriter& json_;
  const facts::TaskNames& names_;
  const facts::LinuxStateTracker& states_;
  const fxt::ReaderProvider& provider_;
};

}  // namespace

void Dumper::PrintJson(const fxt::Reader& reader, fmt::memory_buffer& out) const {
  text::JsonWriter json(out);
  json.BeginObject().Key("kind").String(facts::NameOf(facts::KindOf(reader.record())));
  if (const auto time = facts::TimeOf(reader.record(), reader.provider())) {
    json.Key("time_ns").Unsigned(*time >= start_ ? *time - start_ : 0);
  }
  json.Key("provider").Unsigned(reader.provider().id());
  std::visit(Object(json, names_, states_, reader.provider()), reader.record());
  if (options_.raw) {
    json.Key("offset").Unsigned(reader.offset()).Key("words").BeginArray();
    for (const uint64_t word : reader.words()) json.Hex(word);
    json.EndArray();
  }
  json.EndObject();
}

}  // namespace analyze
