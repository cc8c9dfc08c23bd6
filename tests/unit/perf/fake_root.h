// SPDX-License-Identifier: BSD-2-Clause
// A folder that replaces "/", with the sysfs and procfs of a test.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "support/temp_folder.h"

namespace perf::testing {

class FakeRoot {
 public:
  FakeRoot& File(const std::string& path, const std::string& contents) {
    folder_.Write(path.substr(1), contents);
    return *this;
  }
  FakeRoot& Remove(const std::string& path) {
    std::filesystem::remove_all(folder_.path().string() + path);
    return *this;
  }
  FakeRoot& Online(const std::string& cpus) {
    return File("/sys/devices/system/cpu/online", cpus + "\n");
  }
  // A file of a PMU: Pmu("cpu", "type", "4").
  FakeRoot& Pmu(const std::string& pmu, const std::string& file, const std::string& contents) {
    return File("/sys/bus/event_source/devices/" + pmu + "/" + file, contents + "\n");
  }
  std::string path() const { return folder_.path(); }

 private:
  testing_support::TempFolder folder_;
};

}  // namespace perf::testing
