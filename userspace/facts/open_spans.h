// SPDX-License-Identifier: BSD-2-Clause
// Begins of durations and asynchronous operations that wait for their ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fxt/hash_factor.h"
#include "fxt/record.h"

namespace facts {

// The begin of a span.
struct OpenSpan {
  uint64_t time = 0;  // ns
  fxt::ThreadRef thread;
  std::string category;
  std::string name;
  std::string members;  // arguments as JSON, see text/argument_json.h
  std::optional<uint32_t> cpu;
  std::optional<uint64_t> id;  // of an asynchronous operation or a flow
  bool is_flow = false;
  bool wanted = false;                         // a mark of the caller
  uint64_t owner = 0;                          // KernelSections::OwnerOf
  const std::string* provider_name = nullptr;  // of a TextPool
};

// Matches ends with begins. Durations nest on their thread; asynchronous operations and flows have
// a category and an id. The last that began ends first. No owner ends a span of another. Memory is
// bounded: begins beyond the limit are dropped, and their ends have none.
class OpenSpans {
 public:
  static constexpr size_t kMaxBytes = size_t{64} << 20;

  OpenSpans() = default;
  explicit OpenSpans(size_t max_bytes) : max_bytes_(max_bytes) {}

  // True if a span with texts of `bytes` fits. Otherwise the span is left out.
  bool HasRoom(size_t bytes) {
    if (bytes <= max_bytes_ - bytes_) return true;
    ++left_out_;
    return false;
  }
  void Begin(OpenSpan span);
  // Removes and returns the span that an end belongs to.
  std::optional<OpenSpan> End(uint64_t owner, const fxt::Event& event);
  // Whether a duration that is marked `wanted` is open on that thread.
  bool HasWantedDuration(uint64_t owner, fxt::Koid thread) const;
  // Removes and returns all spans that are open.
  std::vector<OpenSpan> Take();
  // Begins that found no room.
  uint64_t left_out() const { return left_out_; }

 private:
  struct Stack {
    std::vector<OpenSpan> spans;
    size_t wanted = 0;  // of them
  };
  using ThreadKey = std::pair<uint64_t, fxt::Koid>;               // owner and thread
  using Key = std::tuple<uint64_t, uint64_t, std::string, bool>;  // owner, id, category, is_flow
  struct HashOfThread {
    size_t operator()(const ThreadKey& key) const { return fxt::HashOf(key.first, key.second); }
  };

  // With the entry of a map, whose key repeats the category.
  static size_t BytesOf(const OpenSpan& span) {
    return 3 * sizeof(OpenSpan) + 2 * span.category.size() + span.name.size() + span.members.size();
  }
  template <typename Map, typename K>
  std::optional<OpenSpan> Pop(Map& map, const K& key);

  size_t max_bytes_ = kMaxBytes;
  size_t bytes_ = 0;
  uint64_t left_out_ = 0;
  std::unordered_map<ThreadKey, Stack, HashOfThread> durations_;
  std::map<Key, Stack> operations_;
};

}  // namespace facts
