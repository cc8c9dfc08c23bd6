// SPDX-License-Identifier: BSD-2-Clause
// Pages for a browser: one file each, which holds all it needs and asks no network.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace analyze {

enum class PageKind { kReport, kDiff, kFlame };

// What a page draws. Its script finds it by `id`, a word.
struct PageData {
  std::string_view id;
  std::string_view json;
};

// Names in the data cannot break out of it, whatever they are: no '<' is left in it, and the script
// makes nothing but text of them.
std::string MakePage(PageKind kind, std::span<const PageData> data);

}  // namespace analyze
