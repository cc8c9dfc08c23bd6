// SPDX-License-Identifier: BSD-2-Clause
// Makes the RequestStats of a trace: the requests of a timeline, by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "facts/task_names.h"
#include "facts/timeline/timeline_state.h"
#include "fxt/reader.h"
#include "measure/collect/name_table.h"
#include "measure/request_stats.h"
#include "path/part_text.h"
#include "path/path_builder.h"

namespace measure {

// Which spans are requests. By default the outermost ones of programs and probes on their threads,
// asynchronous ones, and those of category `request`.
using RequestChoice = std::function<bool(std::string_view category, std::string_view name)>;

// Sleeps until the first span that may be a request: paths never reach further back. Records before
// it are looked at, and facts are not needed.
//
// Names that differ in digits alone are apart up to kMaxApart of them, and are one name if there
// are more. Memory is bounded: requests of further names are counted as kOthers, further parts of
// all names as parts of the thread kOthers.
class RequestMeter {
 public:
  static constexpr size_t kMaxNames = 400;
  static constexpr size_t kMaxApart = 16;
  static constexpr size_t kMaxRawParts = size_t{1} << 17;
  // Limits of the paths: a comparison reads several files at once.
  static constexpr size_t kThreadBytes = size_t{16} << 20;
  static constexpr size_t kCpuBytes = size_t{4} << 20;
  static constexpr size_t kPendingBytes = size_t{8} << 20;
  static constexpr size_t kNameBytes = size_t{20} << 20;
  static constexpr size_t kOpenBytes = size_t{8} << 20;

  // `timeline` must outlive it; null `wants`: the default.
  RequestMeter(const facts::TimelineState& timeline, RequestChoice wants);
  RequestMeter(const RequestMeter&) = delete;
  RequestMeter& operator=(const RequestMeter&) = delete;

  // Only requests within this time, ns of the trace's clock.
  void SetWindow(uint64_t from, uint64_t to);

  // Whether it needs the facts of the timeline from now on.
  bool is_awake() const { return awake_; }
  // Takes those. Only when it is awake.
  path::PathBuilder& builder() { return builder_; }
  // Takes every record that is neither a switch nor a wakeup, after the timeline. `may_be_span`:
  // false for those that are known to be spans of the kernel.
  void Note(const fxt::Reader& reader, bool may_be_span) {
    if (awake_ || (may_be_span && IsFirst(reader)) ||
        std::holds_alternative<fxt::KernelObject>(reader.record())) {
      tasks_.Note(reader);
      builder_.Note(reader);
    }
  }
  void HandOut() {
    if (awake_) builder_.HandOut();
  }
  // Before the timeline is finished. `left_out`: see Capture::requests_left_out.
  RequestMap Finish(uint64_t& left_out);

 private:
  // The key of a part: everything but time, depth and stack.
  struct Key {
    uint32_t name = 0;
    facts::ThreadIndex thread = facts::kNoThread;
    facts::ThreadIndex holder = facts::kNoThread;
    path::Label what = 0;
    path::Label object = 0;
    path::PartKind kind = path::PartKind::kUnknown;
    bool idle_cpu = false;
    bool is_own = false;
    bool is_other = false;  // one of those without room

    bool operator==(const Key&) const = default;
  };
  struct HashOfKey {
    size_t operator()(const Key& key) const;
  };

  bool IsFirst(const fxt::Reader& reader);
  void Add(const path::Request& request, std::span<const path::Part> parts);
  uint32_t NumberOf(const std::string& name);
  PathPart PartOf(const Key& key);

  RequestChoice wants_;
  uint64_t from_ = 0;
  bool awake_ = false;
  // Exact names, and folded ones that have too many.
  NameTable names_{kMaxNames * (kMaxApart + 1)};
  NameTable folded_{kMaxNames};
  std::vector<size_t> apart_;        // by number in folded_: names that it has
  std::vector<uint32_t> folded_of_;  // by number in names_
  std::vector<Distribution> times_;  // by number in names_
  std::unordered_map<Key, uint64_t, HashOfKey> parts_;
  uint64_t left_out_ = 0;
  facts::TaskNames tasks_{kNameBytes};
  path::PathBuilder builder_;
};

}  // namespace measure
