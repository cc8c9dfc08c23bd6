// SPDX-License-Identifier: BSD-2-Clause
// Pages for a browser. Each is one file, and loads nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace analyze {

enum class PageKind { kReport, kDiff, kFlame, kPath };

// Data of a page, which its script finds by `id`.
struct PageData {
  std::string_view id;
  std::string_view json;
};

// Names in the data cannot become markup: '<' is escaped, and the script makes text nodes of them.
std::string MakePage(PageKind kind, std::span<const PageData> data);

}  // namespace analyze
