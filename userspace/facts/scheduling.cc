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

void SetSide(SwitchSide& side, const fxt::ThreadRef& thread, uint8_t priority, uint32_t cpu,
             const fxt::ReaderProvider& provider) {
  side.thread = thread.thread;
  side.process = thread.process;
  side.priority = priority;
  side.idle = thread.process == 0 && priority == 0;
  side.lost = IsOwn(thread.thread, schema::LostKoid(cpu), provider);
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

// Both are made in place: a copy would wait for the stores that have just been made.
std::optional<Switch> AsSwitch(const fxt::Record& record, const fxt::ReaderProvider& provider) {
  std::optional<Switch> made;
  if (const auto* r = std::get_if<fxt::LegacyContextSwitch>(&record)) {
    Switch& change = made.emplace();
    change.time = provider.ToNanoseconds(r->timestamp);
    change.cpu = r->cpu;
    change.outgoing_state = r->outgoing_state;
    SetSide(change.outgoing, r->outgoing, r->outgoing_priority, r->cpu, provider);
    SetSide(change.incoming, r->incoming, r->incoming_priority, r->cpu, provider);
  } else if (const auto* newer = std::get_if<fxt::ContextSwitch>(&record)) {
    const auto weight = [&](std::string_view name) {
      return IntegerValue(FindArgument(newer->arguments, name));
    };
    Switch& change = made.emplace();
    change.time = provider.ToNanoseconds(newer->timestamp);
    change.cpu = newer->cpu;
    change.outgoing_state = newer->outgoing_state;
    SetSide(change.outgoing, newer->outgoing_thread, weight("outgoing_weight"), newer->cpu,
            provider);
    SetSide(change.incoming, newer->incoming_thread, weight("incoming_weight"), newer->cpu,
            provider);
  }
  return made;
}

std::optional<Wakeup> AsWakeup(const fxt::Record& record, const fxt::ReaderProvider& provider) {
  std::optional<Wakeup> made;
  const auto* r = std::get_if<fxt::ThreadWakeup>(&record);
  if (r == nullptr) return made;
  Wakeup& wakeup = made.emplace();
  wakeup.time = provider.ToNanoseconds(r->timestamp);
  wakeup.cpu = r->cpu;
  wakeup.thread = r->thread;
  const auto waker = KoidOf(FindArgument(r->arguments, schema::argument::kWaker));
  if (waker) wakeup.waker = *waker;
  // Few have more than a waker.
  if (r->arguments.size() > (waker ? 1u : 0u)) {
    wakeup.weight = IntegerValue(FindArgument(r->arguments, "weight"));
  }
  return made;
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
