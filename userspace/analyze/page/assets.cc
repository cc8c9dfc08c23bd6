// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/assets.h"

namespace analyze::assets {

// The build makes a string literal of each file (add_literals in CMakeLists.txt).
constexpr std::string_view kPageHtml =
#include "analyze/page/page.html.inc"
    ;
constexpr std::string_view kPageCss =
#include "analyze/page/page.css.inc"
    ;
constexpr std::string_view kWordsJs =
#include "analyze/page/words.js.inc"
    ;
constexpr std::string_view kDrawJs =
#include "analyze/page/draw.js.inc"
    ;
constexpr std::string_view kPlotsJs =
#include "analyze/page/plots.js.inc"
    ;
constexpr std::string_view kReportGroupsJs =
#include "analyze/page/report_groups.js.inc"
    ;
constexpr std::string_view kReportJs =
#include "analyze/page/report.js.inc"
    ;
constexpr std::string_view kDiffJs =
#include "analyze/page/diff.js.inc"
    ;
constexpr std::string_view kPathJs =
#include "analyze/page/path.js.inc"
    ;
constexpr std::string_view kFlameJs =
#include "analyze/page/flame.js.inc"
    ;

}  // namespace analyze::assets
