// SPDX-License-Identifier: BSD-2-Clause
#include "facts/scheduling.h"

#include <limits>

#include "schema/koid.h"
#include "schema/names.h"

namespace facts {
namespace {

constexpr int64_t kIdleWeight = std::numeric_limits<int32_t>::min();

// A thread of fxt-record itself; asked for last, since it compares text.
bool IsOwn(fxt::Koid thread, fxt::Koid own, const fxt::ReaderProvider& provider) {
  return thread == own && provider.name() == schema::kRecorderName;
}

void SetSide(SwitchSide& side, fxt::Koid thread, std::optional<int64_t> weight, uint32_t cpu,
             const fxt::ReaderProvider& provider) {
  side.thread = thread;
  side.priority = weight;
  side.idle =
      thread == 0 || weight == kIdleWeight || IsOwn(thread, schema::IdleKoid(cpu), provider);
  side.lost = IsOwn(thread, schema::LostKoid(cpu), provider);
}

}  // namespace

std::string_view NameOf(WakeVia via) {
  return via == WakeVia::kNetRx ? schema::argument::kNetRx : std::string_view();
}

WakeVia WakeViaOf(std::string_view name) {
  return name == schema::argument::kNetRx ? WakeVia::kNetRx : WakeVia::kNone;
}

const fxt::Argument* FindArgument(std::span<const fxt::Argument> arguments, std::string_view name) {
  for (const fxt::Argument& argument : arguments) {
    if (argument.name.text == name) return &argument;
  }
  return nullptr;
}

std::optional<int64_t> IntegerValue(const fxt::Argument* argument) {
  if (argument == nullptr) return std::nullopt;
  if (const auto* v = std::get_if<int32_t>(&argument->value)) return *v;
  if (const auto* v = std::get_if<uint32_t>(&argument->value)) return *v;
  if (const auto* v = std::get_if<int64_t>(&argument->value)) return *v;
  if (const auto* v = std::get_if<uint64_t>(&argument->value)) {
    if (*v <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return static_cast<int64_t>(*v);
    }
  }
  return std::nullopt;
}

std::optional<fxt::Koid> KoidOf(const fxt::Argument* argument) {
  if (argument == nullptr) return std::nullopt;
  const auto* value = std::get_if<fxt::KoidValue>(&argument->value);
  return value == nullptr ? std::nullopt : std::optional(value->koid);
}

std::optional<std::string_view> TextOf(const fxt::Argument* argument) {
  if (argument == nullptr) return std::nullopt;
  const auto* value = std::get_if<fxt::StringRef>(&argument->value);
  return value == nullptr ? std::nullopt : std::optional(value->text);
}

void ReadSwitch(const fxt::ContextSwitch& record, const fxt::ReaderProvider& provider,
                Switch& change) {
  const auto weight = [&](std::string_view name) {
    return IntegerValue(FindArgument(record.arguments, name));
  };
  change.time = provider.ToNanoseconds(record.timestamp);
  change.cpu = record.cpu;
  change.outgoing_state = record.outgoing_state;
  SetSide(change.outgoing, record.outgoing_thread, weight("outgoing_weight"), record.cpu, provider);
  SetSide(change.incoming, record.incoming_thread, weight("incoming_weight"), record.cpu, provider);
}

void ReadWakeup(const fxt::ThreadWakeup& record, const fxt::ReaderProvider& provider,
                Wakeup& wakeup) {
  wakeup.time = provider.ToNanoseconds(record.timestamp);
  wakeup.cpu = record.cpu;
  wakeup.thread = record.thread;
  const auto waker = KoidOf(FindArgument(record.arguments, schema::argument::kWaker));
  if (waker) {
    wakeup.waker = *waker;
  } else {
    wakeup.by_interrupt = provider.name() == schema::kRecorderName;
  }
  // Few have more than a waker.
  if (record.arguments.size() > (waker ? 1u : 0u)) {
    wakeup.weight = IntegerValue(FindArgument(record.arguments, "weight"));
    const auto via = TextOf(FindArgument(record.arguments, schema::argument::kVia));
    if (via && wakeup.waker) wakeup.via = WakeViaOf(*via);
  }
}

std::optional<uint64_t> TimeOf(const fxt::Record& record, const fxt::ReaderProvider& provider) {
  return std::visit(
      [&](const auto& r) -> std::optional<uint64_t> {
        if constexpr (requires { r.timestamp; }) {
          return provider.ToNanoseconds(r.timestamp);
        } else {
          return std::nullopt;
        }
      },
      record);
}

const fxt::ThreadRef* ThreadOf(const fxt::Record& record) {
  return std::visit(
      [](const auto& r) -> const fxt::ThreadRef* {
        if constexpr (requires { r.thread.thread; }) {
          return &r.thread;
        } else if constexpr (requires { r.outgoing.thread; }) {
          return &r.outgoing;
        } else {
          return nullptr;
        }
      },
      record);
}

}  // namespace facts
