// SPDX-License-Identifier: BSD-2-Clause
#include "unit/fxt/support/vectors.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

namespace fxt::testing {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> FindAbove(const fs::path& relative) {
  std::error_code error;
  for (fs::path folder = fs::current_path(error);; folder = folder.parent_path()) {
    if (fs::exists(folder / relative, error)) return folder / relative;
    if (folder == folder.parent_path()) return std::nullopt;
  }
}

std::optional<Vector> ParseRow(const std::string& line) {
  std::vector<std::string> columns;
  std::istringstream stream(line);
  for (std::string column; std::getline(stream, column, '\t');) columns.push_back(column);
  if (columns.size() != 5) return std::nullopt;
  Vector vector{.id = columns[0], .description = columns[1], .words = {}};
  std::istringstream words(columns[4]);
  for (std::string word; words >> word;) {
    char* end = nullptr;
    vector.words.push_back(std::strtoull(word.c_str(), &end, 16));
    if (*end != '\0') return std::nullopt;
  }
  if (vector.words.empty()) return std::nullopt;
  return vector;
}

}  // namespace

std::optional<fs::path> SharedVectorsPath() {
  if (const char* folder = std::getenv("FXT_SHARED_DIR"); folder != nullptr) {
    const fs::path path = fs::path(folder) / "fxt/vectors.tsv";
    std::error_code error;
    if (fs::exists(path, error)) return path;
    return std::nullopt;
  }
  return FindAbove("shared/fxt/vectors.tsv");
}

std::optional<fs::path> GoldenVectorsPath() { return FindAbove("tests/golden/fxt/vectors.tsv"); }

std::string ReadWholeFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<Vector> LoadVectors() {
  auto path = SharedVectorsPath();
  if (!path) path = GoldenVectorsPath();
  if (!path) return {};
  std::vector<Vector> vectors;
  std::istringstream lines(ReadWholeFile(*path));
  std::string line;
  std::getline(lines, line);  // the names of the columns
  while (std::getline(lines, line)) {
    if (line.empty()) continue;
    auto vector = ParseRow(line);
    if (!vector) return {};
    vectors.push_back(*vector);
  }
  return vectors;
}

std::string ToHex(const std::vector<uint64_t>& words) {
  std::string text;
  for (const uint64_t word : words) {
    char digits[18];
    std::snprintf(digits, sizeof(digits), "%016llx ", static_cast<unsigned long long>(word));
    text += digits;
  }
  return text;
}

}  // namespace fxt::testing
