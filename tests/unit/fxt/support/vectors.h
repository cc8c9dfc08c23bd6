// SPDX-License-Identifier: BSD-2-Clause
// The records of known meaning in tests/golden/fxt/vectors.tsv, which come from other projects.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fxt::testing {

struct Vector {
  std::string id;
  std::string description;
  std::vector<uint64_t> words;
};

// The copy in a folder `shared/fxt` (below $FXT_SHARED_DIR, or below a parent of the current
// directory), and the copy in tests/golden/fxt.
std::optional<std::filesystem::path> SharedVectorsPath();
std::optional<std::filesystem::path> GoldenVectorsPath();

// The rows of the shared copy if it exists, else of the golden one. Empty if neither exists or a
// row is malformed.
std::vector<Vector> LoadVectors();

std::string ReadWholeFile(const std::filesystem::path& path);

// Words in the form of the table, for messages.
std::string ToHex(const std::vector<uint64_t>& words);

}  // namespace fxt::testing
