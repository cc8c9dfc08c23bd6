// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/report_page.h"

#include <array>
#include <vector>

#include "analyze/page/instance_json.h"
#include "analyze/page/page.h"

namespace analyze {

std::string ReportPage(const Report& report) {
  const std::string json = ReportJson(report);
  std::vector<Instance> worst;
  for (const auto* waits : {&report.watcher.waits().for_cpu(), &report.watcher.waits().blocked()}) {
    for (const WorstWait& wait : *waits) worst.push_back({wait.begin, wait.length(), wait.thread});
  }
  const std::string instances = InstancesJson({{report.capture.file, worst}});
  const std::array data = {PageData{"data", json}, PageData{"instances", instances}};
  return MakePage(PageKind::kReport, data);
}

}  // namespace analyze
