// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/object_names.h"

#include "analyze/scheduling.h"

namespace analyze {
namespace {

const std::string kNoName;

template <typename Map>
const typename Map::mapped_type* Find(const Map& map, fxt::Koid koid) {
  const auto found = map.find(koid);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

bool ObjectNames::Note(const fxt::Record& record) {
  const auto* object = std::get_if<fxt::KernelObject>(&record);
  if (object == nullptr) return false;
  switch (static_cast<fxt::KernelObjectType>(object->type)) {
    case fxt::KernelObjectType::kProcess:
      processes_[object->koid].name = object->name.text;
      return true;
    case fxt::KernelObjectType::kThread: {
      Thread& thread = threads_[object->koid];
      thread.name = object->name.text;
      thread.process = KoidOf(FindArgument(object->arguments, "process"));
      return true;
    }
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

}  // namespace analyze
