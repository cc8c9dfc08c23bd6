// SPDX-License-Identifier: BSD-2-Clause
// Names, each of them once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>

namespace tables {

// Texts stay where they are, and those of the same content are one.
class TextPool {
 public:
  static constexpr size_t kMaxBytes = size_t{64} << 20;

  TextPool() = default;
  explicit TextPool(size_t max_bytes) : max_bytes_(max_bytes) {}
  TextPool(const TextPool&) = delete;
  TextPool& operator=(const TextPool&) = delete;

  // `text` as a terminal shows it (text/clean_text.h); null when there is no room for it.
  const std::string* Add(std::string_view text);

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  // Of the node and its bucket.
  static constexpr size_t kNodeBytes = 80;

  size_t max_bytes_ = kMaxBytes;
  size_t bytes_ = 0;
  std::unordered_set<std::string, Hash, std::equal_to<>> texts_;
};

}  // namespace tables
