// SPDX-License-Identifier: BSD-2-Clause
#include "translate/file/mapping_writer.h"

#include <algorithm>

#include "fxt/utf8.h"

namespace translate {

namespace {

constexpr uint8_t kExecutable = 4;
// "Profiler record": 16 bits of module number, 8 bits of name length.
constexpr size_t kMaxModules = 1 << 16;
constexpr size_t kMaxNameBytes = 255;
// The default of vm.max_map_count.
constexpr size_t kMaxPerProcess = 1 << 16;
constexpr size_t kMaxHeld = 1 << 22;
// Forks inherit mappings, so there may be many more records than received mappings, up to a limit.
constexpr uint64_t kFreeRecords = 1 << 20;
constexpr uint64_t kRecordsPerMapping = 64;

// Keeps the end of a path, which distinguishes more than its start.
std::string_view CutName(std::string_view name) {
  if (name.size() <= kMaxNameBytes) return name;
  name.remove_prefix(name.size() - kMaxNameBytes);
  // Does not cut a UTF-8 character.
  while (!name.empty() && (static_cast<unsigned char>(name.front()) & 0xc0) == 0x80) {
    name.remove_prefix(1);
  }
  return name;
}

}  // namespace

uint32_t MappingWriter::ModuleOf(const Mapping& mapping) {
  const auto key = std::make_pair(std::string(mapping.file), mapping.build_id.ToHex());
  const auto found = module_numbers_.find(key);
  if (found != module_numbers_.end()) return found->second;
  if (modules_.size() >= kMaxModules) return kNoModule;
  const auto number = static_cast<uint32_t>(modules_.size());
  // Made valid before truncation, because replacement characters may add bytes.
  const std::string name = fxt::ToValidUtf8(mapping.file);
  modules_.push_back({number, std::string(CutName(name)), mapping.build_id});
  module_numbers_.emplace(key, number);
  return number;
}

void MappingWriter::Keep(Process& process, const HeldMapping& mapping) {
  if (!process.held) {
    process.held = std::make_shared<HeldList>();
  } else if (process.held.use_count() > 1) {
    if (held_ + process.held->size() > kMaxHeld) {
      ++dropped_;
      return;
    }
    process.held = std::make_shared<HeldList>(*process.held);
    held_ += process.held->size();
  }
  HeldList& list = *process.held;
  // The new mapping replaces those it covers.
  const size_t before = list.size();
  std::erase_if(list, [&mapping](const HeldMapping& old) {
    return old.start >= mapping.start && old.size <= mapping.size &&
           old.start - mapping.start <= mapping.size - old.size;
  });
  held_ -= before - list.size();
  if (list.size() >= kMaxPerProcess || held_ >= kMaxHeld) {
    ++dropped_;
    return;
  }
  list.push_back(mapping);
  ++held_;
}

void MappingWriter::OnMapping(uint32_t pid, const Mapping& mapping, uint64_t time) {
  if ((mapping.flags & kExecutable) == 0 || mapping.size == 0) return;
  ++received_;
  const uint32_t module = ModuleOf(mapping);
  if (module == kNoModule) {
    ++dropped_;
    return;
  }
  const HeldMapping held{mapping.start, mapping.size, mapping.file_offset, mapping.flags, module};
  Process& process = processes_[pid];
  Keep(process, held);
  if (process.sampled) Write(process, held, time);
}

void MappingWriter::OnFork(uint32_t parent, uint32_t child) {
  if (parent == child) return;
  OnExit(child);
  const auto found = processes_.find(parent);
  if (found == processes_.end()) return;
  const std::shared_ptr<HeldList> held = found->second.held;
  processes_[child].held = held;
}

void MappingWriter::OnExec(uint32_t pid) {
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return;
  if (found->second.held && found->second.held.use_count() == 1) {
    held_ -= found->second.held->size();
  }
  processes_.erase(found);
}

void MappingWriter::OnSample(uint32_t pid, model::ThreadHandle thread, uint64_t time) {
  const auto found = processes_.find(pid);
  if (found == processes_.end()) {
    // Later mappings are written at once.
    processes_[pid].sampled = true;
    SetThread(processes_[pid], thread);
    return;
  }
  Process& process = found->second;
  SetThread(process, thread);
  if (process.sampled) return;
  process.sampled = true;
  if (!process.held) return;
  for (const HeldMapping& mapping : *process.held) Write(process, mapping, time);
}

std::string_view MappingWriter::FileAt(uint32_t pid, uint64_t address) const {
  const auto found = processes_.find(pid);
  if (found == processes_.end() || !found->second.held) return "";
  // A later mapping replaces what it overlaps.
  const HeldList& list = *found->second.held;
  const auto mapping = std::find_if(list.rbegin(), list.rend(), [address](const HeldMapping& held) {
    return address - held.start < held.size;
  });
  return mapping == list.rend() ? std::string_view() : modules_[mapping->module].file;
}

void MappingWriter::SetThread(Process& process, model::ThreadHandle thread) {
  const fxt::ThreadKey key = file_.Mention(thread);
  process.thread = thread;
  process.process_koid = key.process;
  process.thread_koid = key.thread;
}

void MappingWriter::Write(Process& process, const HeldMapping& mapping, uint64_t time) {
  if (written_ >= kFreeRecords + kRecordsPerMapping * received_) {
    ++dropped_;
    return;
  }
  ++written_;
  const bool there = file_.tasks().thread(process.thread).process != model::kNoHandle &&
                     file_.tasks().thread(process.thread).koid == process.thread_koid;
  OpenRecord record = there ? file_.Begin(process.thread) : file_.Begin();
  const fxt::ThreadRef thread =
      there ? record.thread() : fxt::ThreadRef::Inline(process.process_koid, process.thread_koid);
  const Module& module = modules_[mapping.module];
  const auto number = static_cast<uint16_t>(module.number);
  if (process.declared.insert(module.number).second) {
    record.Write(fxt::ProfilerModule{.timestamp = time,
                                     .thread = thread,
                                     .module_id = number,
                                     .name = module.file,
                                     .build_id = module.build_id.view()});
  }
  record.Write(fxt::ProfilerMmap{.timestamp = time,
                                 .thread = thread,
                                 .module_id = number,
                                 .flags = mapping.flags,
                                 .start = mapping.start,
                                 .size = mapping.size,
                                 .module_offset = mapping.file_offset});
}

}  // namespace translate
