// SPDX-License-Identifier: BSD-2-Clause
// Pictures of instances, for the script of a page.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyze/page/instance_watcher.h"

namespace analyze {

// An array of those that are found, for which the files, by their names, are read again; what is
// a summary, standard input ("-") or not there any more has none. Of the threads' states, those of
// the instance's thread and of its wakers are told.
std::string InstancesJson(const std::map<std::string, std::vector<Instance>>& by_file);

}  // namespace analyze
