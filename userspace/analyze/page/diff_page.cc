// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/diff_page.h"

#include <map>

#include "analyze/diff/row_words.h"
#include "analyze/document/render.h"
#include "analyze/page/page.h"

namespace analyze {
namespace {

// Findings that have pictures.
constexpr size_t kPictures = 10;

}  // namespace

DiffFigures ReadDiffFigures(const comparison::DiffReport& report, const LbrSymbolOptions& symbols) {
  std::map<std::string, std::vector<Instance>> by_file;
  size_t count = 0;
  for (const size_t number : Ranked(report)) {
    const comparison::ComparisonRow& row = report.rows[number];
    if (row.examples.empty()) continue;
    const comparison::Example& longest = row.examples.front();
    by_file[longest.file].push_back({longest.time_ns, longest.duration_ns, longest.thread});
    if (++count == kPictures) break;
  }
  return {ReadPictures(by_file), ReadDiffStacks(report, symbols)};
}

std::string DiffPage(const document::Document& document, const DiffFigures& figures) {
  const std::string json = document::RenderJson(document);
  const std::string instances = PicturesJson(figures.pictures);
  std::vector<PageData> data = {{"data", json}, {"instances", instances}};
  std::string flame;
  if (figures.stacks) {
    flame = DiffFlameJson(*figures.stacks);
    data.push_back({"flame", flame});
  }
  return MakePage(PageKind::kDiff, data);
}

}  // namespace analyze
