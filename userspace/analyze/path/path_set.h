// SPDX-License-Identifier: BSD-2-Clause
// The requests of a trace with their critical paths, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyze/path/packed_parts.h"
#include "path/part_text.h"
#include "path/path_builder.h"
#include "path/request.h"

namespace analyze {

class PathSet {
 public:
  static constexpr size_t kMaxBytes = size_t{80} << 20;

  struct Entry {
    path::Request request;
    PackedParts packed;

    std::vector<path::Part> parts() const { return packed.Unpack(); }
  };

  explicit PathSet(size_t max_bytes = kMaxBytes) : free_(max_bytes) {}

  // For path::PathReader. A request without a path is counted and left out. So is one that finds no
  // room, and all that follow: their paths need not be walked.
  void Add(const path::Request& request, std::span<const path::Part> parts);
  // The builder that the requests came from; it must outlive the set. Names are those at its end.
  void SetBuilder(const path::PathBuilder& builder) { builder_ = &builder; }

  // In order of their ends.
  const std::vector<Entry>& entries() const { return entries_; }
  uint64_t left_out() const { return left_out_; }
  bool is_full() const { return is_full_; }
  const path::PathBuilder& builder() const { return *builder_; }
  path::PartText text() const { return path::PartText(*builder_); }

 private:
  size_t free_;
  std::vector<Entry> entries_;
  bool is_full_ = false;
  uint64_t left_out_ = 0;
  const path::PathBuilder* builder_ = nullptr;
};

}  // namespace analyze
