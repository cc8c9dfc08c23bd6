// SPDX-License-Identifier: BSD-2-Clause
// The files of a page that are no C++: each is in the folder web/ under its own name.
#pragma once

#include <string_view>

namespace analyze::assets {

// The frame, with @TITLE@, @STYLE@, @DATA@ and @SCRIPT@ in this order.
extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;
// In the order in which they need each other.
extern const std::string_view kWordsJs;  // values and names as text
extern const std::string_view kDrawJs;   // elements and SVG
extern const std::string_view kPlotsJs;
extern const std::string_view kStripJs;  // CPUs and threads over time
extern const std::string_view kReportGroupsJs;
extern const std::string_view kReportJs;
extern const std::string_view kDiffJs;
extern const std::string_view kFlameJs;

}  // namespace analyze::assets
