// SPDX-License-Identifier: BSD-2-Clause
// A folder for the files of one test.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace testing_support {

// Made below TMPDIR for this object alone, and gone with it and all that is in it. The test fails
// by an exception when it cannot be made.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "fxt_test_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), pattern);
    }
    path_ = pattern;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // The file of this name in it.
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  // Writes the file, and makes the folders that it is in. Returns its path.
  std::string Write(const std::string& name, const std::string& contents) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << contents;
    return file.string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace testing_support
