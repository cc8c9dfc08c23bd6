// SPDX-License-Identifier: BSD-2-Clause
// Pictures of instances, for the script of a page.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyze/page/instance_watcher.h"

namespace analyze {

// Pictures of instances in one file.
struct FilePictures {
  std::string file;
  std::vector<InstancePicture> pictures;
  facts::ObjectNames names;
};

// Reads the traces again, by file name. Leaves out summaries, standard input ("-"), and files that
// cannot be read any more.
std::vector<FilePictures> ReadPictures(const std::map<std::string, std::vector<Instance>>& by_file);

// A JSON array of the instances found. Each has the states of its thread and of its wakers.
std::string PicturesJson(const std::vector<FilePictures>& files);

}  // namespace analyze
