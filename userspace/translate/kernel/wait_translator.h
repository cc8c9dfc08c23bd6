// SPDX-License-Identifier: BSD-2-Clause
// Translates the reasons of sleeps into instants (schema/wait_object.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fxt/text_map.h"
#include "fxt_record/long_event.h"
#include "model/task_tracker.h"
#include "translate/file/trace_writer.h"
#include "translate/kernel/wait_names.h"

namespace translate {

class WaitTranslator {
 public:
  // Both outlive the translator.
  WaitTranslator(TraceWriter& file, model::TaskTracker& tasks);

  // `time` is ns of the file's clock. `bytes` are those of the event. Returns false for a malformed
  // event.
  bool OnWait(uint64_t time, const fxr_wait_long& wait, std::span<const std::byte> bytes);

 private:
  struct Function {
    std::string name;
    bool schedules = false;
  };

  const Function& FunctionAt(uint64_t address);
  // The kernel function that blocks. Sets `kind` if the functions imply it.
  std::string FunctionOf(const uint64_t* frames, size_t count, std::string_view& kind);
  const std::string& CallName(int32_t number, bool compat);
  // The thread that last slept at the other end of the connection; 0: none.
  uint32_t OtherEnd(const fxr_wait_long& wait, std::string_view addresses);

  TraceWriter& file_;
  model::TaskTracker& tasks_;
  std::unordered_map<uint64_t, Function> functions_;  // by address
  std::unordered_map<uint64_t, std::string> calls_;   // by number << 1 | compat
  fxt::TextSet objects_;                              // names in the file's string table
  fxt::TextMap<uint32_t> end_users_;                  // threads, by their ends of connections
};

}  // namespace translate
