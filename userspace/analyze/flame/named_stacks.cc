// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/flame/named_stacks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <span>
#include <utility>

#include "analyze/flame/innermost_frames.h"
#include "facts/scheduling.h"
#include "schema/names.h"
#include "schema/script_frame.h"

namespace analyze {
namespace {

// Limits for damaged traces. A machine has fewer.
constexpr size_t kMaxAddresses = size_t{1} << 25;
constexpr size_t kMaxStackKey = size_t{1} << 20;
constexpr size_t kMaxTexts = size_t{1} << 20;

// A stack of a tracepoint begins in the functions that capture it.
constexpr std::string_view kTracing = "__traceiter_";

template <typename Value>
const Value* ValueOf(const fxt::Event& event, std::string_view name) {
  const fxt::Argument* argument = facts::FindArgument(event.arguments, name);
  return argument == nullptr ? nullptr : std::get_if<Value>(&argument->value);
}

util::BuildId BuildIdOf(std::string_view hex) {
  std::array<std::byte, util::BuildId::kMaxBytes> bytes{};
  size_t count = 0;
  for (; count < bytes.size() && 2 * count + 2 <= hex.size(); ++count) {
    uint8_t value = 0;
    const char* begin = hex.data() + 2 * count;
    if (std::from_chars(begin, begin + 2, value, 16).ptr != begin + 2) break;
    bytes[count] = std::byte{value};
  }
  return util::BuildId::FromBytes(std::span(bytes).first(count));
}

}  // namespace

std::optional<uint64_t> StackOf(const fxt::Event& event) {
  if (event.type != fxt::EventType::kInstant || event.category.text != schema::category::kStack) {
    return std::nullopt;
  }
  const fxt::Argument* argument = facts::FindArgument(event.arguments, schema::argument::kStack);
  if (argument == nullptr) return std::nullopt;
  const auto* number = std::get_if<fxt::PointerValue>(&argument->value);
  return number == nullptr ? std::nullopt : std::optional(number->address);
}

bool IsSymbol(const fxt::Event& event) {
  return event.type == fxt::EventType::kInstant &&
         event.category.text == schema::category::kStack &&
         event.name.text == schema::symbol::kEvent;
}

uint32_t NamedStacks::Text(std::string text) {
  if (texts_.size() >= kMaxTexts) text = "[other]";
  const auto [found, is_new] =
      text_numbers_.emplace(std::move(text), static_cast<uint32_t>(texts_.size()));
  if (is_new) {
    texts_.push_back(found->first);
    of_c_library_.push_back(false);
  }
  return found->second;
}

std::optional<StackFrames> NamedStacks::FramesOf(fxt::Koid process, uint64_t stack) {
  const auto addresses = stacks_.find(stack);
  if (addresses == stacks_.end()) return std::nullopt;
  const StackKey key{process, MappingsOf(process), stack};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const uint32_t pid = schema::TidOfKoid(process);
  StackFrames frames;
  ForEachFrame(addresses->second, [&](uint64_t address, bool is_return) {
    const bool of_c_library = names_.IsInCLibrary(pid, address, is_return);
    for (std::string& name : names_.NamesOf(pid, address, is_return)) {
      if (schema::IsKernelAddress(address) && name.starts_with(kTracing)) {
        frames.clear();
      } else {
        frames.push_back(Text(std::move(name)));
        if (of_c_library) of_c_library_[frames.back()] = true;
      }
    }
  });
  std::ranges::reverse(frames);
  if (known_.size() >= kMaxStackKey) known_.clear();
  known_.emplace(key, frames);
  return frames;
}

std::string NamedStacks::InnermostOf(fxt::Koid process, uint64_t stack, size_t most) {
  const auto frames = FramesOf(process, stack);
  if (!frames) return "";
  std::vector<NamedFrame> named;
  for (auto frame = frames->rbegin(); frame != frames->rend(); ++frame) {
    named.push_back({texts_[*frame], of_c_library_[*frame]});
  }
  return InnermostFrames(named, most);
}

std::string NamedStacks::OutermostFile(fxt::Koid process, uint64_t stack) {
  const auto addresses = stacks_.find(stack);
  if (addresses == stacks_.end()) return "";
  LbrPlaces& places = names_.places();
  std::string file;
  ForEachFrame(addresses->second, [&](uint64_t address, bool is_return) {
    if (schema::IsKernelAddress(address) || schema::IsScriptFrame(address)) return;
    const uint32_t module =
        places.place(places.Resolve(schema::TidOfKoid(process), address - (is_return ? 1 : 0)))
            .module;
    file = module == UINT32_MAX ? "" : places.module_name(module);
  });
  return file.substr(file.rfind('/') + 1);
}

void NamedStacks::NoteSymbol(const fxt::Event& event) {
  const auto* name = ValueOf<fxt::StringRef>(event, schema::symbol::kFunction);
  const auto* start = ValueOf<fxt::PointerValue>(event, schema::symbol::kStart);
  const auto* size = ValueOf<uint64_t>(event, schema::symbol::kSize);
  if (name == nullptr || start == nullptr || size == nullptr) return;
  if (schema::IsScriptFrame(start->address)) {
    const auto* file = ValueOf<fxt::StringRef>(event, schema::symbol::kModule);
    const auto* line = ValueOf<uint64_t>(event, schema::symbol::kLine);
    names_.OnScript(start->address, name->text, file == nullptr ? "" : file->text,
                    line == nullptr ? 0 : *line);
    return;
  }
  if (const auto* process = ValueOf<fxt::KoidValue>(event, schema::symbol::kProcess)) {
    names_.OnCompiled(schema::TidOfKoid(process->koid), start->address, *size, name->text);
    return;
  }
  FunctionDeclaration function{.name = name->text, .start = start->address, .size = *size};
  if (const auto* module = ValueOf<fxt::StringRef>(event, schema::symbol::kModule)) {
    function.module = module->text;
    const auto* id = ValueOf<fxt::StringRef>(event, schema::symbol::kBuildId);
    if (id != nullptr) function.build_id = BuildIdOf(id->text);
  }
  names_.places().OnFunction(function);
}

void NamedStacks::Note(const fxt::Record& record) {
  if (const auto* trace = std::get_if<fxt::ProfilerBacktrace>(&record)) {
    if (addresses_ + trace->frames.size() > kMaxAddresses) return;
    const bool is_new =
        stacks_
            .try_emplace(schema::StackIdOf(trace->frames),
                         std::vector<uint64_t>(trace->frames.begin(), trace->frames.end()))
            .second;
    if (is_new) addresses_ += trace->frames.size();
  } else if (const auto* module = std::get_if<fxt::ProfilerModule>(&record)) {
    names_.places().OnModule(
        {module->thread.process, module->module_id, module->name, module->build_id});
  } else if (const auto* mmap = std::get_if<fxt::ProfilerMmap>(&record)) {
    ++mapped_[mmap->thread.process];
    names_.places().OnMapping(
        {mmap->thread.process, mmap->module_id, mmap->start, mmap->size, mmap->module_offset});
  } else if (const auto* object = std::get_if<fxt::KernelObject>(&record)) {
    if (object->type != static_cast<uint8_t>(fxt::KernelObjectType::kProcess)) return;
    const auto user =
        facts::IntegerValue(facts::FindArgument(object->arguments, schema::argument::kUser));
    if (user) names_.OnProcess(schema::TidOfKoid(object->koid), static_cast<uint32_t>(*user));
  } else if (const auto* event = std::get_if<fxt::Event>(&record)) {
    if (IsSymbol(*event)) NoteSymbol(*event);
  }
}

}  // namespace analyze
