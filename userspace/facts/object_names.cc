// SPDX-License-Identifier: BSD-2-Clause
#include "facts/object_names.h"

#include "facts/scheduling.h"
#include "schema/names.h"

namespace facts {
namespace {

const std::string kNoName;

template <typename Map>
const typename Map::mapped_type* Find(const Map& map, fxt::Koid koid) {
  const auto found = map.find(koid);
  return found == map.end() ? nullptr : &found->second;
}

// What an entry takes beside its name, the node of the map included.
constexpr size_t kEntryBytes = 96;

}  // namespace

template <typename Map>
typename Map::mapped_type* ObjectNames::Entry(Map& map, fxt::Koid koid, std::string_view name) {
  const auto found = map.find(koid);
  const bool fresh = found == map.end();
  const size_t room = fresh ? 0 : found->second.name.capacity();
  const size_t more = name.size() > room ? name.size() - room : 0;
  if (!budget_.Take(more + (fresh ? kEntryBytes : 0))) {
    ++left_out_;
    return nullptr;
  }
  auto& entry = fresh ? map[koid] : found->second;
  if (more != 0) {
    // Not std::string's doubling: the budget counts what is there.
    std::string text;
    text.reserve(name.size());
    entry.name.swap(text);
  }
  entry.name.assign(name);
  return &entry;
}

bool ObjectNames::Note(const fxt::Record& record, bool is_kernels) {
  const auto* object = std::get_if<fxt::KernelObject>(&record);
  if (object == nullptr) return false;
  switch (static_cast<fxt::KernelObjectType>(object->type)) {
    case fxt::KernelObjectType::kProcess:
      if (!is_kernels && processes_.contains(object->koid)) return true;
      Entry(processes_, object->koid, object->name.text);
      return true;
    case fxt::KernelObjectType::kThread:
      if (!is_kernels && threads_.contains(object->koid)) return true;
      if (Thread* thread = Entry(threads_, object->koid, object->name.text)) {
        thread->process = KoidOf(FindArgument(object->arguments, schema::argument::kProcess));
      }
      return true;
  }
  return false;
}

const ObjectNames::Process* ObjectNames::process(fxt::Koid koid) const {
  return Find(processes_, koid);
}
const ObjectNames::Thread* ObjectNames::thread(fxt::Koid koid) const {
  return Find(threads_, koid);
}
const std::string& ObjectNames::process_name(fxt::Koid koid) const {
  const Process* found = process(koid);
  return found == nullptr ? kNoName : found->name;
}
const std::string& ObjectNames::thread_name(fxt::Koid koid) const {
  const Thread* found = thread(koid);
  return found == nullptr ? kNoName : found->name;
}

}  // namespace facts
