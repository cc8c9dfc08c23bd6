// SPDX-License-Identifier: BSD-2-Clause
// Begins of durations and asynchronous operations that wait for their ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "fxt/record.h"

namespace tables {

// What is known when a span begins.
struct OpenSpan {
  uint64_t time = 0;  // ns
  fxt::ThreadRef thread;
  std::string category;
  std::string name;
  std::string members;  // arguments, see argument_json.h
  std::optional<uint32_t> cpu;
  std::optional<uint64_t> id;
};

// Durations nest on their thread, asynchronous operations are told apart by category and id; the
// last that began ends first. Memory is bounded: begins beyond it are forgotten, and their ends
// have none.
class OpenSpans {
 public:
  static constexpr size_t kMaxBytes = size_t{64} << 20;

  OpenSpans() = default;
  explicit OpenSpans(size_t max_bytes) : max_bytes_(max_bytes) {}

  void Begin(OpenSpan span);
  // The one that an end belongs to, which is open no more.
  std::optional<OpenSpan> End(const fxt::Event& event);
  // All that are open, which are so no more.
  std::vector<OpenSpan> Take();

 private:
  using Stack = std::vector<OpenSpan>;
  using Key = std::pair<uint64_t, std::string>;  // id and category

  static size_t BytesOf(const OpenSpan& span) {
    return 2 * sizeof(OpenSpan) + span.category.size() + span.name.size() + span.members.size();
  }
  template <typename Map, typename K>
  std::optional<OpenSpan> Pop(Map& map, const K& key);

  size_t max_bytes_ = kMaxBytes;
  size_t bytes_ = 0;
  std::unordered_map<fxt::Koid, Stack> durations_;
  std::map<Key, Stack> operations_;
};

}  // namespace tables
