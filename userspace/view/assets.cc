// SPDX-License-Identifier: BSD-2-Clause
#include "view/assets.h"

#include <algorithm>
#include <iterator>

namespace view {
namespace {

constexpr const char* kHtml = "text/html; charset=utf-8";
constexpr const char* kCss = "text/css; charset=utf-8";
constexpr const char* kScript = "text/javascript; charset=utf-8";

// The build makes a string literal of each file (add_literals in CMakeLists.txt).
constexpr Asset kAssets[] = {
    {
        "",
        kHtml,
#include "view/index.html.inc"
    },
    {
        "view.css",
        kCss,
#include "view/view.css.inc"
    },
    {
        "main.js",
        kScript,
#include "view/main.js.inc"
    },
    {
        "api.js",
        kScript,
#include "view/api.js.inc"
    },
    {
        "details.js",
        kScript,
#include "view/details.js.inc"
    },
    {
        "geometry.js",
        kScript,
#include "view/geometry.js.inc"
    },
    {
        "input.js",
        kScript,
#include "view/input.js.inc"
    },
    {
        "lanes.js",
        kScript,
#include "view/lanes.js.inc"
    },
    {
        "overlay.js",
        kScript,
#include "view/overlay.js.inc"
    },
    {
        "paint.js",
        kScript,
#include "view/paint.js.inc"
    },
    {
        "questions.js",
        kScript,
#include "view/questions.js.inc"
    },
    {
        "search.js",
        kScript,
#include "view/search.js.inc"
    },
    {
        "states.js",
        kScript,
#include "view/states.js.inc"
    },
    {
        "text.js",
        kScript,
#include "view/text.js.inc"
    },
    {
        "tiles.js",
        kScript,
#include "view/tiles.js.inc"
    },
    {
        "viewport.js",
        kScript,
#include "view/viewport.js.inc"
    },
};

}  // namespace

const Asset* FindAsset(std::string_view path) {
  const auto* found = std::find_if(std::begin(kAssets), std::end(kAssets),
                                   [&](const Asset& asset) { return asset.path == path; });
  return found == std::end(kAssets) ? nullptr : found;
}

}  // namespace view
