// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/palette.h"

#include <fmt/format.h>

#include "web/assets.h"

namespace analyze {

std::string PageColour(PageStyle style, std::string_view name) {
  // The first block is the light style, the second one what the dark style changes.
  std::string_view css = web::FindAsset("theme.css")->content;
  if (style == PageStyle::kDark) css.remove_prefix(css.find('}') + 1);
  const std::string_view block = css.substr(0, css.find('}'));
  const std::string before = fmt::format("--{}: ", name);
  const size_t at = block.find(before);
  if (at == std::string_view::npos) return "";
  const std::string_view value = block.substr(at + before.size());
  return std::string(value.substr(0, value.find(';')));
}

}  // namespace analyze
