// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/palette.h"

#include <fmt/format.h>

#include "analyze/page/assets.h"

namespace analyze {

std::string PageColour(std::string_view name) {
  // The first block is the light style.
  const std::string_view css = assets::kPageCss;
  const std::string_view light = css.substr(0, css.find('}'));
  const std::string before = fmt::format("--{}: ", name);
  const size_t at = light.find(before);
  if (at == std::string_view::npos) return "";
  const std::string_view value = light.substr(at + before.size());
  return std::string(value.substr(0, value.find(';')));
}

}  // namespace analyze
