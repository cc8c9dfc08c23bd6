// SPDX-License-Identifier: BSD-2-Clause
// The table of stack frames of a JSON file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace importer {

class StackFrames {
 public:
  static constexpr size_t kMaxBytes = size_t{6} << 20;
  static constexpr size_t kMaxDepth = 200;

  // `parent` empty: a root. The last one of an id counts. False: there is no room for it.
  bool Add(std::string_view id, std::string_view name, std::string_view category,
           std::string_view parent);

  // The stack that ends with frame `id`, root first, a line each; empty if it is not known. Of
  // deeper ones than kMaxDepth the frames next to the leaf; whoever is their own parent ends there.
  std::string StackOf(std::string_view id) const;

  size_t size() const { return frames_.size(); }

 private:
  struct Frame {
    std::string name;
    std::string parent;
  };
  size_t bytes_ = 0;
  std::unordered_map<std::string, Frame> frames_;
};

}  // namespace importer
