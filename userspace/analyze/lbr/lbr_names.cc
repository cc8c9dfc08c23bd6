// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/lbr/lbr_names.h"

#include "schema/koid.h"

namespace analyze {

void LbrNames::Note(const fxt::KernelObject& object) {
  const bool thread = object.type == static_cast<uint8_t>(fxt::KernelObjectType::kThread);
  if (!thread && object.type != static_cast<uint8_t>(fxt::KernelObjectType::kProcess)) return;
  if (object.koid > UINT32_MAX || schema::GenerationOfKoid(object.koid) > schema::kMaxGeneration) {
    return;
  }
  (thread ? threads_ : processes_)[schema::TidOfKoid(object.koid)] = std::string(object.name.text);
}

const std::string& LbrNames::Find(const Names& names, uint32_t id) {
  static const std::string kNone;
  static const std::string kIdle = "swapper";
  if (id == 0) return kIdle;
  const auto found = names.find(id);
  return found == names.end() ? kNone : found->second;
}

}  // namespace analyze
