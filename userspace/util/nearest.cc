// SPDX-License-Identifier: BSD-2-Clause
#include "util/nearest.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace util {
namespace {

// Optimal string alignment distance. Both texts are short: the longest is a word of a command line.
size_t Distance(std::string_view a, std::string_view b) {
  constexpr size_t kLongest = 64;
  a = a.substr(0, kLongest);
  const size_t columns = b.size() + 1;
  std::vector<size_t> before(columns);
  std::vector<size_t> last(columns);
  std::vector<size_t> row(columns);
  for (size_t j = 0; j < columns; ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j < columns; ++j) {
      const size_t other = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + other});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last.back();
}

}  // namespace

std::string Nearest(std::string_view word, std::span<const std::string> known) {
  std::string nearest;
  size_t least = SIZE_MAX;
  for (const std::string& name : known) {
    const size_t distance = Distance(word, name);
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

std::string Suggestion(std::string_view word, std::span<const std::string> known) {
  const std::string nearest = Nearest(word, known);
  if (nearest.empty() || Distance(word, nearest) * 2 > word.size()) return {};
  return "did you mean '" + nearest + "'? ";
}

}  // namespace util
