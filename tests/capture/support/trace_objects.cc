// SPDX-License-Identifier: BSD-2-Clause
#include "capture/support/trace_objects.h"

#include <gtest/gtest.h>

#include <span>
#include <string_view>
#include <variant>

#include "capture/support/gunzip.h"
#include "fxt/reader.h"

namespace truth {
namespace {

template <typename T>
const T* Value(std::span<const fxt::Argument> arguments, std::string_view name) {
  for (const fxt::Argument& argument : arguments) {
    if (argument.name.text == name) return std::get_if<T>(&argument.value);
  }
  return nullptr;
}

std::string Text(std::span<const fxt::Argument> arguments, std::string_view name) {
  const auto* text = Value<fxt::StringRef>(arguments, name);
  return text ? std::string(text->text) : std::string();
}

template <typename T>
std::optional<T> Number(std::span<const fxt::Argument> arguments, std::string_view name) {
  const T* value = Value<T>(arguments, name);
  return value ? std::optional<T>(*value) : std::nullopt;
}

void Note(const fxt::KernelObject& object, TraceObjects* objects) {
  if (object.type == static_cast<uint8_t>(fxt::KernelObjectType::kProcess)) {
    objects->processes[object.koid] = {std::string(object.name.text),
                                       Text(object.arguments, "cmdline"),
                                       Text(object.arguments, "cgroup"),
                                       Number<uint64_t>(object.arguments, "cmdline_cut"),
                                       Number<uint32_t>(object.arguments, "uid"),
                                       Number<uint32_t>(object.arguments, "ppid")};
  } else if (object.type == static_cast<uint8_t>(fxt::KernelObjectType::kThread)) {
    const auto* process = Value<fxt::KoidValue>(object.arguments, "process");
    objects->threads[object.koid] = {std::string(object.name.text), process ? process->koid : 0};
  }
}

}  // namespace

size_t TraceObjects::ProcessesOf(uint32_t tgid) const {
  size_t count = 0;
  for (const auto& [koid, process] : processes) count += (koid & ((1u << 22) - 1)) == tgid;
  return count;
}

fxt::Koid TraceObjects::ProcessRunning(const std::string& begin) const {
  for (const auto& [koid, process] : processes) {
    if (process.cmdline.rfind(begin, 0) == 0) return koid;
  }
  return 0;
}

fxt::Koid TraceObjects::ThreadNamed(const std::string& name) const {
  for (const auto& [koid, thread] : threads) {
    if (thread.name == name) return koid;
  }
  return 0;
}

TraceObjects TraceObjects::Read(const std::string& path) {
  TraceObjects objects;
  const auto content = ReadMaybeGzip(path);
  EXPECT_TRUE(content.ok()) << path;
  if (!content.ok()) return objects;
  fxt::MemorySource source(std::as_bytes(std::span(content->bytes)));
  fxt::Reader reader(source);
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    if (const auto* object = std::get_if<fxt::KernelObject>(&reader.record())) {
      Note(*object, &objects);
    } else if (const auto* change = std::get_if<fxt::LegacyContextSwitch>(&reader.record())) {
      objects.switches.emplace(change->outgoing.thread, change->incoming.thread);
    }
  }
  return objects;
}

}  // namespace truth
