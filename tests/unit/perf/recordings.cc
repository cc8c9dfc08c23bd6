// SPDX-License-Identifier: BSD-2-Clause
#include "unit/perf/recordings.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace perf::testing {

namespace fs = std::filesystem;

const std::vector<Recording>& Recordings() {
  static const std::vector<Recording> recordings = {
      {"skylake-y-4.14",
       13,
       416,
       21,
       395,
       386,
       42141,
       29,
       323,
       323,
       12631245939019,
       {{"SAMPLE", 13},
        {"MMAP", 21},
        {"MMAP2", 10},
        {"COMM", 3},
        {"EXIT", 1},
        {"FINISHED_ROUND", 1},
        {"TIME_CONV", 1}}},
      {"sandybridge-systemwide-3.8",
       1916,
       30656,
       1906,
       28750,
       0,
       0,
       262,
       11180,
       11173,
       346842851438457,
       {{"SAMPLE", 1916}, {"MMAP", 1793}, {"COMM", 229}, {"EXIT", 6}, {"FORK", 2}}},
      {"skylake-sp-4.15",
       3740,
       119424,
       5,
       119419,
       119420,
       9436,
       0,
       5,
       0,
       914937301029299,
       {{"SAMPLE", 3740},
        {"THROTTLE", 926},
        {"UNTHROTTLE", 926},
        {"FINISHED_ROUND", 19},
        {"MMAP2", 4},
        {"COMM", 2},
        {"EXIT", 1},
        {"TIME_CONV", 1}}},
      {"simpleperf-6.4",
       19,
       386,
       0,
       386,
       385,
       22,
       0,
       1,
       0,
       1240667343836,
       {{"MMAP2", 80}, {"SAMPLE", 19}, {"COMM", 2}}},
  };
  return recordings;
}

std::string RecordingName(const ::testing::TestParamInfo<Recording>& parameter) {
  std::string name = parameter.param.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !isalnum(c); }, '_');
  return name;
}

std::optional<fs::path> RecordingsFolder() {
  std::error_code error;
  if (const char* shared = std::getenv("FXT_SHARED_DIR"); shared != nullptr) {
    const fs::path folder = fs::path(shared) / "lbr";
    if (fs::is_directory(folder, error)) return folder;
    return std::nullopt;
  }
  for (fs::path place = fs::current_path(error); !error; place = place.parent_path()) {
    const fs::path folder = place / "shared/lbr";
    if (fs::is_directory(folder, error)) return folder;
    error.clear();
    if (place == place.root_path()) break;
  }
  return std::nullopt;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

fs::path RecordingPath(const fs::path& folder, const Recording& recording) {
  return folder / (std::string(recording.name) + ".perf.data");
}

std::vector<std::string> ExpectedLines(const fs::path& folder, const Recording& recording) {
  fs::path path = folder / (std::string(recording.name) + ".expected.txt");
  if (!fs::exists(path)) path += ".gz";
  // gzread() also reads uncompressed files.
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return {};
  std::string text;
  std::array<char, 65536> chunk;
  for (int n; (n = gzread(file, chunk.data(), chunk.size())) > 0;) {
    text.append(chunk.data(), static_cast<size_t>(n));
  }
  gzclose(file);
  return SplitLines(text);
}

std::vector<std::string> SplitLines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace perf::testing
