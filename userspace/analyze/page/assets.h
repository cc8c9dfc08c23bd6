// SPDX-License-Identifier: BSD-2-Clause
// The files of web/, which pages consist of.
#pragma once

#include <string_view>

namespace analyze::assets {

// The page, with @TITLE@, @STYLE@, @DATA@ and @SCRIPT@ in this order.
extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;
// Each may use the ones before it.
extern const std::string_view kWordsJs;  // values and names as text
extern const std::string_view kDrawJs;   // elements and SVG
extern const std::string_view kPlotsJs;
extern const std::string_view kReportGroupsJs;
extern const std::string_view kReportJs;
extern const std::string_view kDiffJs;
extern const std::string_view kPathJs;
extern const std::string_view kFlameJs;

}  // namespace analyze::assets
