// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/report_page.h"

#include <array>

#include "analyze/document/render.h"
#include "analyze/page/page.h"

namespace analyze {

std::vector<FilePictures> ReadWaitPictures(const Report& report) {
  std::vector<Instance> worst;
  FilePictures kept{report.capture.file, report.capture.begin, {}, report.watcher.names()};
  for (const auto* waits : {&report.watcher.waits().for_cpu(), &report.watcher.waits().blocked()}) {
    for (const WorstWait& wait : *waits) {
      worst.push_back({wait.begin, wait.length(), wait.thread});
      kept.pictures.push_back(InstancePictureOf(wait));
    }
  }
  std::vector<FilePictures> read = ReadPictures({{report.capture.file, worst}});
  if (read.empty()) return {std::move(kept)};
  return read;
}

std::string ReportPage(const document::Document& document,
                       const std::vector<FilePictures>& pictures) {
  const std::string json = document::RenderJson(document);
  const std::string instances = PicturesJson(pictures);
  const std::array data = {PageData{"data", json}, PageData{"instances", instances}};
  return MakePage(PageKind::kReport, data);
}

}  // namespace analyze
