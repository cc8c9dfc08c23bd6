// SPDX-License-Identifier: BSD-2-Clause
// Renders documents. Nothing here reads a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyze/document/document.h"

namespace analyze::document {

// Lines for a terminal. Control characters in values are escaped.
std::string RenderText(const Document& document);
// Markdown. Values are text there, whatever characters they contain.
std::string RenderMarkdown(const Document& document);
// One object with the fields and tables of all sections, in their order.
std::string RenderJson(const Document& document);
// A value alone.
std::string RenderJson(const Value& value);
// The same with a member a line, indented, in ASCII.
std::string RenderPrettyJson(const Document& document);

// A length of time with three digits: "7ns", "1.50us", "12.3ms", "101s".
std::string ShortDuration(uint64_t ns);
// A moment as people read it: seconds from `first`, the trace's first time: "1.250000 s". A moment
// before it is 0. Both in ns.
std::string SecondsSince(uint64_t first, uint64_t time);
// At most `width` bytes of `name`, ".." in place of the rest. Characters stay whole.
std::string CutName(std::string name, size_t width);

}  // namespace analyze::document
