// SPDX-License-Identifier: BSD-2-Clause
// Compares the slow ones of many requests with the median ones, by part of their critical paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyze/path/path_set.h"

namespace analyze {

struct PathComparison {
  // Requests of one kind, ns.
  struct Side {
    size_t count = 0;
    uint64_t shortest = 0;
    uint64_t longest = 0;
    double mean = 0;
  };
  // Parts of one kind on threads of one name, with one thing that was waited for. Means a request.
  struct Row {
    path::PartKind kind = path::PartKind::kUnknown;
    std::string thread;
    std::string what;
    double median_ns = 0;
    double slow_ns = 0;
    double all_ns = 0;

    double difference() const { return slow_ns - median_ns; }
  };

  double slow_from = 0.99;  // quantile
  Side all;
  Side median;  // the middle fifth
  Side slow;
  uint64_t p50 = 0;
  uint64_t p90 = 0;
  uint64_t p99 = 0;
  // Those that differ most first. Each side's figures add up to its mean.
  std::vector<Row> rows;
};

// The duration below which the part `q` of `sorted` lies.
uint64_t QuantileOf(const std::vector<uint64_t>& sorted, double q);

// `slow_from`: above 0.5 and below 1. Without requests all is 0.
PathComparison ComparePaths(const PathSet& set, double slow_from);

}  // namespace analyze
