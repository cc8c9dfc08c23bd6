// SPDX-License-Identifier: BSD-2-Clause
#include "path/trace_id.h"

#include <fmt/format.h>

#include "text/json_document.h"

namespace path {

std::string TraceIdOf(std::string_view members) {
  if (members.find(kTraceIdArgument) == std::string_view::npos) return "";
  constexpr int kDepth = 4;
  const auto document = text::ParseJson(fmt::format("{{{}}}", members), kDepth);
  if (!document) return "";
  const auto* id = text::FindMember(*document, kTraceIdArgument);
  return std::string(text::StringOf(id).value_or(""));
}

}  // namespace path
