// SPDX-License-Identifier: BSD-2-Clause
#include "translate/kernel/function_names.h"

#include <fmt/format.h>

#include <string>

namespace translate {

fxt::StringId FunctionNames::Of(int64_t address) {
  constexpr size_t kMaxNames = 8192;
  const auto known = names_.find(address);
  if (known != names_.end()) return known->second;
  // A file's string table never shrinks, so further functions share one name.
  if (names_.size() >= kMaxNames) return names_.emplace(0, file_.Declare("function")).first->second;
  std::string name = identities_.FunctionAt(address);
  if (name.empty()) name = fmt::format("{:#x}", static_cast<uint64_t>(address));
  return names_.emplace(address, file_.Declare(name)).first->second;
}

}  // namespace translate
