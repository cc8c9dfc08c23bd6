// SPDX-License-Identifier: BSD-2-Clause
// Interns names of kernel functions as strings of a file.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "model/identity_source.h"
#include "translate/file/trace_writer.h"

namespace translate {

class FunctionNames {
 public:
  // Both outlive this object.
  FunctionNames(TraceWriter& file, model::IdentitySource& identities)
      : file_(file), identities_(identities) {}

  // The function at `address`, or the address in hexadecimal if it has no name. Must not be called
  // while a record is open.
  fxt::StringId Of(int64_t address);

 private:
  TraceWriter& file_;
  model::IdentitySource& identities_;
  std::unordered_map<int64_t, fxt::StringId> names_;  // bounded by kMaxNames
};

}  // namespace translate
