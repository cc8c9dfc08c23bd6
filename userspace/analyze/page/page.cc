// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/page.h"

#include <algorithm>
#include <initializer_list>

#include "analyze/page/assets.h"

namespace analyze {
namespace {

// JSON has '<' in strings only, where its escape is equal. Without '<' the data can neither end the
// script nor begin a comment.
void AppendJson(std::string& out, std::string_view json) {
  for (size_t from = 0;;) {
    const size_t at = json.find('<', from);
    out += json.substr(from, at - from);
    if (at == std::string_view::npos) return;
    out += "\\u003c";
    from = at + 1;
  }
}

// Moves the part before the mark from `page` to `out`, and removes the mark.
void AppendUpTo(std::string& out, std::string_view& page, std::string_view mark) {
  const size_t at = page.find(mark);
  out += page.substr(0, at);
  page.remove_prefix(at + mark.size());
}

}  // namespace

std::string MakePage(PageKind kind, std::span<const PageData> data) {
  const bool report = kind == PageKind::kReport;
  const bool flame = kind == PageKind::kFlame;
  const bool path = kind == PageKind::kPath;
  std::string out;
  std::string_view rest = assets::kPageHtml;
  AppendUpTo(out, rest, "@TITLE@");
  out += report ? "fxt report" : flame ? "fxt flame" : path ? "fxt path" : "fxt diff";
  AppendUpTo(out, rest, "@STYLE@");
  out += assets::kPageCss;
  AppendUpTo(out, rest, "@DATA@");
  for (const PageData& part : data) {
    out += "<script type=\"application/json\" id=\"";
    out += part.id;
    out += "\">";
    AppendJson(out, part.json);
    out += "</script>\n";
  }
  AppendUpTo(out, rest, "@SCRIPT@");
  if (!flame) {
    for (const std::string_view script : {assets::kWordsJs, assets::kDrawJs, assets::kPlotsJs,
                                          report ? assets::kReportGroupsJs : std::string_view(),
                                          report ? assets::kReportJs
                                          : path ? assets::kPathJs
                                                 : assets::kDiffJs}) {
      out += script;
    }
  }
  const bool has_flame = std::any_of(data.begin(), data.end(),
                                     [](const PageData& part) { return part.id == "flame"; });
  if (has_flame) out += assets::kFlameJs;
  out += rest;
  return out;
}

}  // namespace analyze
