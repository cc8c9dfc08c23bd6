// SPDX-License-Identifier: BSD-2-Clause
#include "control/protocol/json.h"

template class nlohmann::basic_json<>;

namespace control {
namespace {

// Each level costs an allocation for a byte of text, so they are counted before anything is built.
bool IsTooDeep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxDepth) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

util::Result<Json> ParseObject(std::string_view text) {
  if (IsTooDeep(text)) return util::Error{"the message is nested too deeply", ""};
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return util::Error{"the message is no JSON object", ""};
  return json;
}

}  // namespace control
