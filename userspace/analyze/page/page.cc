// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/page.h"

#include "web/assets.h"

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
  struct Texts {
    std::string_view title;
    std::string_view main;  // its script
  };
  static constexpr Texts kTexts[] = {{"fxt report", "report.js"},
                                     {"fxt diff", "diff.js"},
                                     {"fxt flame", "flame_page.js"},
                                     {"fxt path", "path.js"}};
  const Texts& texts = kTexts[static_cast<size_t>(kind)];
  std::string out;
  std::string_view rest = web::FindAsset("page.html")->content;
  AppendUpTo(out, rest, "@TITLE@");
  out += texts.title;
  AppendUpTo(out, rest, "@STYLE@");
  for (const char* style : {"theme.css", "page.css"}) out += web::FindAsset(style)->content;
  AppendUpTo(out, rest, "@DATA@");
  for (const PageData& part : data) {
    out += "<script type=\"application/json\" id=\"";
    out += part.id;
    out += "\">";
    AppendJson(out, part.json);
    out += "</script>\n";
  }
  AppendUpTo(out, rest, "@SCRIPT@");
  out += web::BundleOf(texts.main);
  out += rest;
  return out;
}

}  // namespace analyze
