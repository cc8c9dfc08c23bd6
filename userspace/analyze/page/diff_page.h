// SPDX-License-Identifier: BSD-2-Clause
// A comparison as a page: `fxt diff --html`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/document/document.h"
#include "analyze/page/diff_flame.h"
#include "analyze/page/instance_pictures.h"
#include "compare/diff_report.h"

namespace analyze {

// Contents of the page besides the document.
struct DiffFigures {
  std::vector<FilePictures> pictures;  // around the longest example of each finding
  std::optional<DiffStacks> stacks;
};

// Reads the captures again.
DiffFigures ReadDiffFigures(const comparison::DiffReport& report,
                            const LbrSymbolOptions& symbols = {});

// `document` is that of the comparison. The pictures are the page's data "instances", the stacks
// "flame".
std::string DiffPage(const document::Document& document, const DiffFigures& figures);

}  // namespace analyze
