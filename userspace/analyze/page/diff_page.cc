// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/diff_page.h"

#include <map>
#include <vector>

#include "analyze/diff/diff_json.h"
#include "analyze/diff/row_words.h"
#include "analyze/page/diff_flame.h"
#include "analyze/page/instance_json.h"
#include "analyze/page/page.h"

namespace analyze {
namespace {

// Findings that have pictures.
constexpr size_t kPictures = 10;

std::string ExamplesJson(const comparison::DiffReport& report) {
  std::map<std::string, std::vector<Instance>> by_file;
  size_t count = 0;
  for (const size_t number : Ranked(report)) {
    const comparison::Row& row = report.rows[number];
    if (row.examples.empty()) continue;
    const comparison::Example& longest = row.examples.front();
    by_file[longest.file].push_back({longest.time_ns, longest.duration_ns, longest.thread});
    if (++count == kPictures) break;
  }
  return InstancesJson(by_file);
}

}  // namespace

std::string DiffPage(const comparison::DiffReport& report) {
  const std::string json = DiffJson(report);
  const std::string instances = ExamplesJson(report);
  std::vector<PageData> data = {{"data", json}, {"instances", instances}};
  const auto flame = DiffFlameJson(report);
  if (flame) data.push_back({"flame", *flame});
  return MakePage(PageKind::kDiff, data);
}

}  // namespace analyze
