// SPDX-License-Identifier: BSD-2-Clause
// `name=value` pairs behind time and kind: made for grep and for people.
#include <iterator>
#include <string_view>

#include "analyze/show/dump.h"
#include "branches/last_branch.h"
#include "facts/record_kind.h"
#include "facts/scheduling.h"
#include "schema/names.h"
#include "util/format_library.h"

namespace analyze {
namespace {

bool IsWord(std::string_view text) {
  for (char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (u <= ' ' || u >= 0x7f || c == '"' || c == '\\' || c == '=') return false;
  }
  return !text.empty();
}

// As it is when it is one word, else quoted, with what is not printable ASCII or UTF-8 escaped.
void AppendName(fmt::memory_buffer& out, std::string_view text) {
  if (IsWord(text)) {
    out.append(text);
  } else {
    text::AppendJsonString(out, text);
  }
}

class Line {
 public:
  Line(fmt::memory_buffer& out, const facts::TaskNames& names,
       const facts::LinuxStateTracker& states, const fxt::ReaderProvider& provider)
      : out_(out), names_(names), states_(states), provider_(provider) {}

  template <typename... Args>
  void Put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  void Name(std::string_view key, std::string_view text) {
    Put(" {}=", key);
    AppendName(out_, text);
  }
  // name[thread] or name[process/thread].
  void Thread(std::string_view key, fxt::Koid thread, std::optional<fxt::Koid> process) {
    Put(" {}=", key);
    const std::string& name = names_.thread_name(thread);
    if (!name.empty()) AppendName(out_, name);
    if (process) {
      Put("[{}/{}]", *process, thread);
    } else {
      Put("[{}]", thread);
    }
  }
  void Thread(const fxt::ThreadRef& thread) { Thread("thread", thread.thread, thread.process); }
  void Arguments(std::span<const fxt::Argument> arguments);

  void operator()(const fxt::MagicNumber&) {}
  void operator()(const fxt::ProviderInfo& r) {
    Put(" id={}", r.id);
    Name("name", r.name);
  }
  void operator()(const fxt::ProviderSection& r) { Put(" id={}", r.id); }
  void operator()(const fxt::ProviderEvent& r) {
    Put(" id={} event={}{}", r.id, r.event,
        r.event == fxt::kProviderEventBufferFilledUp ? " (a buffer filled up)" : "");
  }
  void operator()(const fxt::TraceInfo& r) { Put(" type={} words={}", r.type, r.words.size()); }
  void operator()(const fxt::Initialization& r) { Put(" ticks_per_second={}", r.ticks_per_second); }
  void operator()(const fxt::StringRecord& r) {
    Put(" index={}", r.index);
    Name("text", r.text);
  }
  void operator()(const fxt::ThreadRecord& r) {
    Put(" index={}", r.index);
    Thread("thread", r.thread, r.process);
  }
  void operator()(const fxt::Event& r) {
    Name("category", r.category.text);
    Name("name", r.name.text);
    Thread(r.thread);
    if (r.type == fxt::EventType::kDurationComplete) {
      Put(" duration_ns={}",
          provider_.ToNanoseconds(r.payload) - provider_.ToNanoseconds(r.timestamp));
    } else if (HasPayload(r.type)) {
      Put(" id={:#x}", r.payload);
    }
    Arguments(r.arguments);
  }
  void operator()(const fxt::Blob& r) {
    Name("name", r.name.text);
    Put(" type={} bytes={}", r.type, r.payload.size());
    if (const auto view = branches::LastBranchView::Of(r)) {
      Put(" cpu={} branches={} time={} address_space={}", view->cpu(), view->branches(),
          view->time(), view->address_space());
    }
  }
  void operator()(const fxt::UserspaceObject& r) {
    Put(" pointer={:#x} process={}", r.pointer, r.process.process);
    Name("name", r.name.text);
    Arguments(r.arguments);
  }
  void operator()(const fxt::KernelObject& r) {
    switch (static_cast<fxt::KernelObjectType>(r.type)) {
      case fxt::KernelObjectType::kProcess:
        Put(" type=process");
        break;
      case fxt::KernelObjectType::kThread:
        Put(" type=thread");
        break;
      default:
        Put(" type={}", r.type);
    }
    Put(" koid={}", r.koid);
    Name("name", r.name.text);
    Arguments(r.arguments);
  }
  void operator()(const fxt::LegacyContextSwitch& r) {
    Put(" cpu={}", r.cpu);
    Thread("out", r.outgoing.thread, r.outgoing.process);
    Put(" out_prio={}", r.outgoing_priority);
    State(r.outgoing.thread, r.outgoing_state);
    Thread("in", r.incoming.thread, r.incoming.process);
    Put(" in_prio={}", r.incoming_priority);
  }
  void operator()(const fxt::ContextSwitch& r) {
    Put(" cpu={}", r.cpu);
    Thread("out", r.outgoing_thread, std::nullopt);
    State(r.outgoing_thread, r.outgoing_state);
    Thread("in", r.incoming_thread, std::nullopt);
    Arguments(r.arguments);
  }
  void operator()(const fxt::ThreadWakeup& r) {
    Put(" cpu={}", r.cpu);
    Thread("thread", r.thread, std::nullopt);
    for (const fxt::Argument& argument : r.arguments) {
      const auto koid = facts::KoidOf(&argument);
      if (koid && argument.name.text == schema::argument::kWaker) {
        Thread("waker", *koid, std::nullopt);
      } else {
        Arguments({&argument, 1});
      }
    }
  }
  void operator()(const fxt::Log& r) {
    Thread(r.thread);
    Put(" message=");
    text::AppendJsonString(out_, r.message);
  }
  void operator()(const fxt::LargeBlobWithMetadata& r) {
    Name("category", r.category.text);
    Name("name", r.name.text);
    Thread(r.thread);
    Put(" bytes={}", r.payload.size());
    Arguments(r.arguments);
  }
  void operator()(const fxt::LargeBlob& r) {
    Name("category", r.category.text);
    Name("name", r.name.text);
    Put(" bytes={}", r.payload.size());
  }
  void operator()(const fxt::ProfilerModule& r) {
    Thread(r.thread);
    Put(" module={}", r.module_id);
    Name("name", r.name);
    Put(" build_id={:02x}", fmt::join(AsNumbers(r.build_id), ""));
  }
  void operator()(const fxt::ProfilerMmap& r) {
    Thread(r.thread);
    Put(" module={} start={:#x} size={:#x} offset={:#x} flags={}{}{}", r.module_id, r.start, r.size,
        r.module_offset, r.flags & 1 ? 'r' : '-', r.flags & 2 ? 'w' : '-', r.flags & 4 ? 'x' : '-');
  }
  void operator()(const fxt::ProfilerBacktrace& r) {
    Thread(r.thread);
    Put(" frames={:#x}", fmt::join(r.frames, ","));
  }
  void operator()(const fxt::UnknownRecord& r) { Put(" type={} words={}", r.type, r.words.size()); }

 private:
  // fmt formats std::byte not as a number.
  static std::span<const uint8_t> AsNumbers(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
  }
  void State(fxt::Koid thread, fxt::ThreadState state) {
    Put(" out_state={}({})", states_.Letters(thread, state), facts::NameOf(state));
  }

  fmt::memory_buffer& out_;
  const facts::TaskNames& names_;
  const facts::LinuxStateTracker& states_;
  const fxt::ReaderProvider& provider_;
};

struct ValuePrinter {
  fmt::memory_buffer& out;

  void operator()(fxt::NullValue) const { out.append(std::string_view("null")); }
  void operator()(const fxt::StringRef& v) const { AppendName(out, v.text); }
  void operator()(fxt::PointerValue v) const { Put("{:#x}", v.address); }
  void operator()(fxt::KoidValue v) const { Put("#{}", v.koid); }
  void operator()(const fxt::BlobValue& v) const { Put("({} bytes)", v.bytes.size()); }
  void operator()(const fxt::UnknownValue& v) const { Put("(argument type {})", v.type); }
  template <typename T>
  void operator()(const T& v) const {
    Put("{}", v);
  }

 private:
  template <typename T>
  void Put(fmt::format_string<const T&> format, const T& value) const {
    fmt::format_to(std::back_inserter(out), format, value);
  }
};

void Line::Arguments(std::span<const fxt::Argument> arguments) {
  if (arguments.empty()) return;
  char before = '{';
  out_.push_back(' ');
  for (const fxt::Argument& argument : arguments) {
    out_.push_back(before);
    before = ' ';
    AppendName(out_, argument.name.text);
    out_.push_back('=');
    std::visit(ValuePrinter{out_}, argument.value);
  }
  out_.push_back('}');
}

}  // namespace

void Dumper::PrintText(const fxt::Reader& reader, fmt::memory_buffer& out) const {
  const auto put = std::back_inserter(out);
  if (options_.raw) fmt::format_to(put, "{:#010x} ", reader.offset());
  const fxt::Record& record = reader.record();
  if (const auto time = facts::TimeOf(record, reader.provider())) {
    const uint64_t ns = *time >= start_ ? *time - start_ : 0;
    fmt::format_to(put, "{:>7}.{:09} ", ns / 1'000'000'000, ns % 1'000'000'000);
  } else {
    fmt::format_to(put, "{:>17} ", "-");
  }
  out.append(facts::NameOf(facts::KindOf(record)));
  Line line(out, names_, states_, reader.provider());
  std::visit(line, record);
  if (options_.raw) fmt::format_to(put, " | {:016x}", fmt::join(reader.words(), " "));
}

}  // namespace analyze
