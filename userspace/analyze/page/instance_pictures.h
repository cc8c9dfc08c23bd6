// SPDX-License-Identifier: BSD-2-Clause
// Pictures of what happened around single waits and runs, for the script of a page.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analyze/draw/drawing.h"
#include "analyze/page/instance_watcher.h"
#include "analyze/report/worst_waits.h"

namespace analyze {

// Instances of one file, and what happened around them.
struct FilePictures {
  std::string file;
  uint64_t begin = 0;  // of the trace
  std::vector<InstancePicture> pictures;
  std::shared_ptr<const facts::TaskNames> names;
};

// Reads the traces again, by file name. Leaves out summaries, standard input ("-"), and files that
// cannot be read any more.
std::vector<FilePictures> ReadPictures(const std::map<std::string, std::vector<Instance>>& by_file);

// The same from the intervals that a report keeps around its longest waits, for a trace that cannot
// be read again.
InstancePicture InstancePictureOf(const WorstWait& wait);

// Lanes of the CPUs, of the thread and of its wakers.
Drawing DrawingOf(const InstancePicture& picture, const facts::TaskNames& names, uint64_t begin);

// A JSON array of the instances with any CPU: thread, chain of wakers, and shapes to draw.
std::string PicturesJson(const std::vector<FilePictures>& files);

}  // namespace analyze
