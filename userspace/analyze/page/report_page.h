// SPDX-License-Identifier: BSD-2-Clause
// A report as a page: `fxt report --html`.
#pragma once

#include <string>
#include <vector>

#include "analyze/document/document.h"
#include "analyze/page/instance_pictures.h"
#include "analyze/report/report.h"

namespace analyze {

// Reads the trace again for what happened around its longest waits.
std::vector<FilePictures> ReadWaitPictures(const Report& report);

// `document` is that of the report. The pictures are the page's data "instances".
std::string ReportPage(const document::Document& document,
                       const std::vector<FilePictures>& pictures);

}  // namespace analyze
