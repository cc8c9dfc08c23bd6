// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/lbr/lbr_names.h"

#include "schema/koid.h"

namespace analyze {

void LbrNames::Note(fxt::KernelObject object) {
  if (object.koid > UINT32_MAX || schema::GenerationOfKoid(object.koid) > schema::kMaxGeneration)
    return;
  object.koid = schema::TidOfKoid(object.koid);
  names_.Note(object);
}

const std::string& LbrNames::OfIdle() {
  static const std::string kIdle = "swapper";
  return kIdle;
}

}  // namespace analyze
