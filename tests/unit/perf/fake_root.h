// SPDX-License-Identifier: BSD-2-Clause
// A folder that stands for "/" with a sysfs and procfs of a test's making.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace perf::testing {

class FakeRoot {
 public:
  FakeRoot() {
    std::string name = (std::filesystem::temp_directory_path() / "fake_root.XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~FakeRoot() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  FakeRoot& File(const std::string& path, const std::string& contents) {
    const std::filesystem::path place = path_ + path;
    std::filesystem::create_directories(place.parent_path());
    std::ofstream(place) << contents;
    return *this;
  }
  FakeRoot& Remove(const std::string& path) {
    std::filesystem::remove_all(path_ + path);
    return *this;
  }
  FakeRoot& Online(const std::string& cpus) {
    return File("/sys/devices/system/cpu/online", cpus + "\n");
  }
  // A file of a PMU: Pmu("cpu", "type", "4").
  FakeRoot& Pmu(const std::string& pmu, const std::string& file, const std::string& contents) {
    return File("/sys/bus/event_source/devices/" + pmu + "/" + file, contents + "\n");
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace perf::testing
