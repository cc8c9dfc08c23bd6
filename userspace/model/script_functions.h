// SPDX-License-Identifier: BSD-2-Clause
// The interpreted functions that stacks contain, by the words that stand for their frames
// (schema/script_frame.h). Limited in bytes; functions stay until the end. Any thread may call it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "fxt/id_map.h"
#include "schema/script_frame.h"

namespace model {

struct ScriptFunction {
  std::string name;
  std::string file;
  uint32_t first_line = 0;
};

class ScriptFunctions {
 public:
  static constexpr size_t kMaxBytes = size_t{32} << 20;

  // The function's part of its frames; 0 if there is no room.
  uint64_t Add(ScriptFunction function) {
    const uint64_t id = schema::ScriptFunctionId(function.name, function.file, function.first_line);
    const std::lock_guard lock(mutex_);
    if (functions_.contains(id)) return id;
    constexpr size_t kEntryBytes = 160;
    const size_t bytes = function.name.size() + function.file.size() + kEntryBytes;
    if (bytes > kMaxBytes - bytes_) return 0;
    bytes_ += bytes;
    functions_.emplace(id, std::move(function));
    return id;
  }
  // Nothing for a frame whose function is not known.
  std::optional<ScriptFunction> Find(uint64_t frame) const {
    const std::lock_guard lock(mutex_);
    const auto found = functions_.find(schema::ScriptFunctionOf(frame));
    if (found == functions_.end()) return std::nullopt;
    return found->second;
  }

 private:
  mutable std::mutex mutex_;
  fxt::IdMap<ScriptFunction> functions_;
  size_t bytes_ = 0;
};

}  // namespace model
